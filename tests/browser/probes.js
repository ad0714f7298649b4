// Questions about a page, asked by checks.py; injected before the page's own scripts run.
var probes = (() => {
  const text = (element) => (element.textContent || '').trim().replace(/\s+/g, ' ').slice(0, 60);
  const name = (element) =>
    element.tagName.toLowerCase() + (element.id ? '#' + element.id : '') + (text(element) ? ` "${text(element)}"` : '');
  const next_frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const shown = (element) => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
  const painted = (paint) => paint !== 'none' && paint !== 'transparent' && !/^rgba\(.*, 0\)$/.test(paint);

  // ---- charts: every figure, but those that say what is missing ----------------------------------------------------
  const figures = () => [...document.querySelectorAll('figure')].filter((figure) => !figure.querySelector('figcaption .missing'));
  const interactive = (figure) => figure.querySelector('[_echarts_instance_] svg');
  const drawings = (figure) => [...figure.querySelectorAll('svg')].filter((svg) => shown(svg) && !svg.parentElement.closest('svg'));

  // What a picture shows beside text: shapes with a paint and an area or a length.
  function marks(picture) {
    const frame = picture.getBoundingClientRect();
    const found = { area: frame.width * frame.height, marks: 0, outside: 0, fills: new Set() };
    for (const shape of picture.querySelectorAll('path, rect, circle, polyline, polygon, line')) {
      const style = getComputedStyle(shape);
      if (shape.closest('defs, clipPath') || !(painted(style.fill) || painted(style.stroke))) continue;
      const box = shape.getBoundingClientRect();
      if (box.width + box.height === 0) continue;
      found.marks += 1;
      if (painted(style.fill)) found.fills.add(style.fill);
      if (box.right < frame.left - 2 || box.left > frame.right + 2 || box.bottom < frame.top - 2 || box.top > frame.bottom + 2)
        found.outside += 1;
    }
    return { ...found, fills: found.fills.size };
  }

  const charts = () =>
    figures().map((figure) => ({
      id: figure.id,
      interactive: !!interactive(figure),
      pictures: drawings(figure).map(marks),
      labelled: drawings(figure).every((picture) =>
        picture.closest('[aria-label], [aria-labelledby], [aria-hidden="true"]') || picture.querySelector('title')),
      caption: !!figure.querySelector('figcaption') && text(figure.querySelector('figcaption')) !== '',
    }));

  // The series of an interactive chart: how many data they have and how many of these are drawn.
  function series() {
    if (!window.echarts) return [];
    return figures().filter(interactive).map((figure) => {
      const chart = echarts.getInstanceByDom(figure.querySelector('[_echarts_instance_]'));
      return { id: figure.id, data: chart.getModel().getSeries().map((one) => one.getData().count()) };
    });
  }

  // Shows the tooltip of the first and last datum of every series, as a mouse would.
  async function show_tooltips() {
    for (const figure of figures().filter(interactive)) {
      const chart = echarts.getInstanceByDom(figure.querySelector('[_echarts_instance_]'));
      for (const [seriesIndex, one] of chart.getModel().getSeries().entries())
        for (const dataIndex of new Set([0, one.getData().count() - 1])) {
          try {
            chart.dispatchAction({ type: 'showTip', seriesIndex, dataIndex });
          } catch (problem) {
            console.error(`tooltip of ${figure.id}, series ${seriesIndex}, datum ${dataIndex}: ${problem}`);
          }
        }
      await new Promise((done) => setTimeout(done, 20));
    }
  }

  // ---- layout ------------------------------------------------------------------------------------------------------
  // Down and up again, for what is drawn only when it is seen; the page says when its charts are there.
  async function scroll_through() {
    const waiting = () => window.echarts && document.documentElement.dataset.charts !== 'live';
    for (let patience = 200; patience > 0 && waiting(); patience -= 1) await new Promise((done) => setTimeout(done, 20));
    const step = window.innerHeight * 0.8;
    for (let y = 0; y < document.documentElement.scrollHeight; y += step) {
      window.scrollTo({ top: y, behavior: 'instant' });
      await next_frame();
    }
    window.scrollTo({ top: 0, behavior: 'instant' });
  }

  async function settle() {
    for (let frames = 3; frames > 0; frames -= 1) await next_frame();
  }

  function open_details() {
    for (const details of document.querySelectorAll('details')) details.open = true;
  }

  function wider_than(width) {
    const scrolls = (element) => {
      for (let box = element; box && box !== document.body; box = box.parentElement)
        if (/auto|scroll/.test(getComputedStyle(box).overflowX)) return true;
      return false;
    };
    const page = Math.max(document.documentElement.scrollWidth, document.body.scrollWidth);
    const wide = [...document.body.querySelectorAll('*')].filter((element) => {
      const box = element.getBoundingClientRect();
      return box.width > 1 && box.right > width + 1 && shown(element) && !element.closest('svg svg, svg *') && !scrolls(element);
    });
    return { page, elements: wide.map(name) };
  }

  // ---- colours -----------------------------------------------------------------------------------------------------
  const channels = (colour) => colour.match(/[\d.]+/g).map(Number);
  function luminance([r, g, b]) {
    const linear = [r, g, b].map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  }
  function contrast(one, other) {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  }
  function background_of(element) {
    for (let box = element; box; box = box.parentElement) {
      const [r, g, b, a = 1] = channels(getComputedStyle(box).backgroundColor);
      if (a > 0.5) return [r, g, b];
    }
    return matchMedia('(prefers-color-scheme: dark)').matches && /dark/.test(getComputedStyle(document.documentElement).colorScheme)
      ? [18, 18, 18] : [255, 255, 255];
  }
  // What is painted under the beginning of a text of a picture (its end may be cut off): a mark of it, or the page.
  function background_in_picture(label) {
    label.scrollIntoView({ block: 'center', behavior: 'instant' });
    const box = label.getBoundingClientRect();
    for (const below of document.elementsFromPoint(box.left + Math.min(4, box.width / 2), box.top + box.height / 2)) {
      if (!below.closest('svg')) break;
      const style = getComputedStyle(below);
      const solid = style.fillOpacity * style.opacity > 0.5 && /^rgb/.test(style.fill) && painted(style.fill);
      if (solid && below.matches('path, rect, circle, polygon')) return channels(style.fill);
    }
    return background_of(label.closest('svg'));
  }

  function faint_texts(least) {
    const faint = new Set();
    const note = (element, colour, background) => {
      const ratio = contrast(channels(colour), background);
      if (ratio < least) faint.add(`${name(element)}: ${colour} on rgb(${background.slice(0, 3).join(', ')}) has ${ratio.toFixed(2)}`);
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const seen = new Set();
    while (walker.nextNode()) {
      const element = walker.currentNode.parentElement;
      if (!walker.currentNode.data.trim() || seen.has(element) || !shown(element) || element.closest('[aria-hidden="true"]')) continue;
      seen.add(element);
      const picture = element.closest('svg');
      const style = getComputedStyle(element);
      if (element.closest('script, style, noscript')) continue;
      if (picture) note(element, style.fill, background_in_picture(element));
      else note(element, style.color, background_of(element));
    }
    return [...faint];
  }

  const page_colours = () => ({ background: luminance(background_of(document.body)), text: getComputedStyle(document.body).color });

  // ---- keyboard ----------------------------------------------------------------------------------------------------
  const focusable = () =>
    [...document.querySelectorAll('a[href], button, summary, input, select, textarea, [tabindex]')]
      .filter((element) => element.tabIndex >= 0 && !element.disabled && shown(element));

  function focused() {
    const element = document.activeElement;
    if (!element || element === document.body || element === document.documentElement) return null;
    const style = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    return {
      index: stops.indexOf(element),
      name: name(element),
      href: element.getAttribute('href'),
      tag: element.tagName.toLowerCase(),
      marked: (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== 'none',
      seen: box.bottom > 0 && box.top < window.innerHeight && box.right > 0 && box.width > 1 && box.height > 1,
    };
  }
  let stops = [];  // where Tab should stop
  function focusables() {
    stops = focusable();
    return stops.map(name);
  }
  const focused_details_open = () => !!document.activeElement.closest('details[open]');
  const broken_anchors = () =>
    [...document.querySelectorAll('a[href^="#"]')].filter((a) => !document.getElementById(a.getAttribute('href').slice(1))).map(name);

  function after_skip() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const element = document.activeElement;
    return {
      target: target ? name(target) : null,
      beyond: !!target && (target === element || target.contains(element) ||
        !!(target.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING)),
    };
  }

  // Presses every button that there is, and again where one press is to be undone. -> those that change nothing
  async function idle_buttons() {
    const idle = [];
    let changes = 0;
    new MutationObserver((records) => { changes += records.length; })
      .observe(document, { attributes: true, characterData: true, childList: true, subtree: true });
    for (const button of [...document.querySelectorAll('button')].filter(shown)) {
      await next_frame();
      changes = 0;
      button.click();
      await next_frame();
      if (!changes) idle.push(name(button));
      button.click();
    }
    return idle;
  }
  const theme_button = () =>
    [...document.querySelectorAll('button')].find((button) => /theme/i.test(button.textContent) && shown(button));
  const press_theme = () => !!theme_button() && (theme_button().click(), true);

  const zoomable = () => [...document.querySelectorAll('[_echarts_instance_]')].filter((place) => place.tabIndex >= 0);
  function focus_chart(index) {
    if (zoomable()[index]) zoomable()[index].focus();
    return index < zoomable().length;
  }
  // The shapes in it. They are drawn in the next frame; drawn anew they may come in another order, with other clip paths.
  async function focused_chart() {
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 20)));
    const shapes = [...document.activeElement.querySelectorAll('path, text, rect, circle, polyline, polygon, line')];
    return shapes.map((shape) => shape.outerHTML.replace(/\bzr\d+-\w+/g, '')).sort().join('\n');
  }

  // ---- text --------------------------------------------------------------------------------------------------------
  const tables = () =>
    figures().map((figure) => {
      const table = figure.querySelector('table');
      return {
        id: figure.id,
        rows: table ? table.querySelectorAll('tbody tr').length : 0,
        heads: table ? table.querySelectorAll('th').length : 0,
        reachable: !!table && (!table.closest('details') || !!table.closest('details').querySelector('summary')),
      };
    });
  const last_cell = () => text([...document.querySelectorAll('figure table td')].pop());
  const page_text = () => document.body.innerText;
  const structure = () => ({
    lang: document.documentElement.lang,
    title: document.title,
    headings: [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].map((heading) => Number(heading.tagName[1])),
    main: document.querySelectorAll('main').length,
    ids: [...document.querySelectorAll('[id]')].map((element) => element.id),
  });
  // What only foreign markup can have brought in.
  const intruders = () => ({
    ran: window.pwned ?? null,
    elements: [...document.querySelectorAll('img, iframe, object, embed, link, base, form, svg script')]
      .concat([...document.querySelectorAll('*')].filter((element) => [...element.attributes].some((one) => /^on/i.test(one.name))))
      .map((element) => element.outerHTML.slice(0, 120)),
    scripts: document.scripts.length,
  });

  // ---- time --------------------------------------------------------------------------------------------------------
  let first_chart_ms = null;
  new MutationObserver((_, observer) => {
    if (!figures().some((figure) => interactive(figure) && marks(interactive(figure)).marks > 0)) return;
    first_chart_ms = performance.now();
    observer.disconnect();
  }).observe(document, { childList: true, subtree: true });

  async function times(with_chart) {
    const paint = () => performance.getEntriesByName('first-contentful-paint')[0];
    const [navigation] = performance.getEntriesByType('navigation');
    const missing = () => !navigation.loadEventEnd || !paint() || (with_chart && first_chart_ms === null);
    for (let patience = 100; patience > 0 && missing(); patience -= 1) await new Promise((done) => setTimeout(done, 20));
    return { load: navigation.loadEventEnd || null, paint: paint() ? paint().startTime : null, ...(with_chart && { chart: first_chart_ms }) };
  }

  return { charts, series, show_tooltips, scroll_through, settle, open_details, wider_than, faint_texts, page_colours, focused,
    focusables, focused_details_open, broken_anchors, after_skip, idle_buttons, press_theme, focus_chart, focused_chart,
    tables, last_cell, page_text, structure, intruders, times };
})();
