// Makes the static charts of the page interactive, and lets the reader choose the theme.
// Nothing from the traces is ever put into the document as markup: text goes in as text.
(() => {
  'use strict';
  const charts = JSON.parse(document.getElementById('charts').textContent);
  const live = [];  // {chart, model} of the interactive charts
  const CHARACTER = 7.2;  // width of one in the labels of named bars

  // ---- theme: automatic, light, dark -------------------------------------------------------------------------------
  const THEMES = {auto: 'screen and (prefers-color-scheme: dark)', light: 'not all', dark: 'screen'};
  const button = document.getElementById('theme');
  const dark = document.getElementById('dark');
  function useTheme(theme) {
    dark.media = THEMES[theme];
    button.textContent = `Theme: ${theme}`;
    button.dataset.theme = theme;
    for (const {chart, model} of live) chart.setOption(optionOf(model, chart.getWidth()), true);
  }
  function nextTheme() {
    const names = Object.keys(THEMES);
    return names[(names.indexOf(button.dataset.theme) + 1) % names.length];
  }

  // ---- words and colours -------------------------------------------------------------------------------------------
  const colour = (tone) => getComputedStyle(document.documentElement).getPropertyValue(`--${tone}`).trim();
  const withUnit = (value, unit, decimals) => value === null || value === undefined ? '–' :
      value.toLocaleString('en', {minimumFractionDigits: decimals, maximumFractionDigits: decimals ?? 4}) + (unit ? ` ${unit}` : '');
  function lines(...texts) {
    const box = document.createElement('div');
    for (const text of texts) {
      const line = document.createElement('div');
      line.textContent = text;
      box.append(line);
    }
    return box;
  }
  function shortened(text, length) {
    if (text.length <= length) return text;
    return `${text.slice(0, Math.ceil(length / 2))}…${text.slice(text.length - Math.floor(length / 2) + 1)}`;
  }

  // ---- options of the four kinds of charts -------------------------------------------------------------------------
  function base() {
    return {
      animation: false,
      aria: {enabled: true},
      textStyle: {fontFamily: getComputedStyle(document.body).fontFamily, color: colour('ink')},
      tooltip: {
        confine: true,
        backgroundColor: colour('raised'),
        borderColor: colour('rule'),
        textStyle: {color: colour('ink'), fontSize: 12},
        extraCssText: 'max-width: min(34rem, 90vw); white-space: normal; overflow-wrap: anywhere; box-shadow: none;',
      },
    };
  }
  const axisStyle = () => ({
    axisLabel: {color: colour('soft'), fontSize: 12, hideOverlap: true},
    axisLine: {show: false},
    axisTick: {show: false},
    splitLine: {lineStyle: {color: colour('grid')}},
    nameTextStyle: {color: colour('soft')},
  });
  const zoomBoth = (height) => [
    {type: 'inside', xAxisIndex: 0, filterMode: 'none', zoomOnMouseWheel: 'ctrl', moveOnMouseWheel: false},
    {type: 'slider', xAxisIndex: 0, filterMode: 'none', height: 14, top: height + 4, showDetail: false, brushSelect: false,
     borderColor: colour('rule'), fillerColor: colour('grid'), handleStyle: {color: colour('soft')},
     dataBackground: {lineStyle: {opacity: 0}, areaStyle: {opacity: 0}}},
  ];

  function barsOption(model, width) {
    const lying = model.layout === 'rows' || model.layout.endsWith('-rows');
    const named = model.layout.endsWith('-rows');
    const grouped = model.layout === 'grouped-rows';
    const alone = model.labels.map((_, row) => model.series.filter((series) => series.values[row] !== null).length === 1);
    const barWidth = lying ? (grouped ? 12 : 14) : undefined;
    const labels = {
      ...axisStyle(), type: 'category', data: model.labels, inverse: lying, splitLine: {show: false},
      name: lying ? '' : model.title, nameLocation: 'end',
    };
    if (named) {
      const above = grouped ? 7 * model.series.length + 7 : 11;
      labels.axisLabel = {inside: true, verticalAlign: 'bottom', padding: [0, 0, above, -6], color: colour('ink'),
                          fontFamily: colour('mono'), fontSize: 11.5, interval: 0, formatter: (text) => shortened(text, Math.floor(width / CHARACTER))};
      labels.z = 3;
    } else if (lying) {
      labels.axisLabel.interval = 0;
      labels.axisLabel.hideOverlap = false;
    }
    const values = {...axisStyle(), type: 'value', max: model.full};
    values.axisLabel = {...values.axisLabel, alignMinLabel: lying ? 'left' : undefined,
                        formatter: (value) => withUnit(value, lying && value !== 0 ? model.unit : '')};
    return {
      ...base(),
      grid: lying ? {left: named ? 2 : model.labels.some((label) => label.length > 6) ? 108 : 48, right: 64, top: 2, bottom: 20} : {left: 46, right: 12, top: 14, bottom: 22},
      legend: {show: false, data: model.series.map((series) => series.name)},
      tooltip: {...base().tooltip, trigger: 'axis', axisPointer: {type: 'shadow', shadowStyle: {opacity: .12}},
                formatter: (items) => lines(
                    (model.title ? `${model.title} ` : '') + model.labels[items[0].dataIndex],
                    ...items.filter((item) => item.value !== null && item.value !== undefined)
                        .map((item) => (model.series.length === 1 ? '' : `${item.seriesName}: `) + withUnit(item.value, model.unit, model.decimals)))},
      xAxis: lying ? values : labels,
      yAxis: lying ? labels : values,
      series: model.series.map((series) => ({
        type: 'bar', name: series.name, data: series.values, stack: grouped ? undefined : 'all', barWidth,
        barCategoryGap: model.layout === 'histogram' ? '4%' : '22%', barGap: '10%',
        itemStyle: {color: colour(series.tone), borderColor: colour('paper'), borderWidth: lying ? .5 : 0},
        label: {show: lying, position: 'right', color: colour('soft'), fontSize: 12,
                formatter: (item) => grouped || alone[item.dataIndex] ? withUnit(item.value, model.unit, model.decimals) : ''},
      })),
    };
  }

  function linesOption(model) {
    const points = model.shape === 'points';
    const name = (value) => (model.xTitle ? `${model.xTitle} ` : '') + withUnit(value, model.xUnit);
    return {
      ...base(),
      grid: {left: 64, right: 14, top: 8, bottom: 48},
      legend: {show: false, data: model.lines.map((line) => line.name)},
      tooltip: {...base().tooltip, trigger: points ? 'item' : 'axis',
                formatter: (item) => Array.isArray(item)
                    ? lines(name(item[0].value[0]),
                            ...item.map((one) => `${one.seriesName}: ${withUnit(one.value[1], model.yUnit)}`))
                    : item.value.length > 2 ? lines(item.value[2])
                    : lines(`${item.seriesName}, ${name(item.value[0])}`, withUnit(item.value[1], model.yUnit))},
      // The ends are labelled where they are whole numbers; else they would say more than they mean.
      xAxis: {...axisStyle(), type: 'value', min: 'dataMin', max: 'dataMax', splitLine: {show: false}, minInterval: points ? 1 : 0,
              axisLabel: {...axisStyle().axisLabel, showMinLabel: points, showMaxLabel: points,
                          formatter: (value) => withUnit(value, model.xUnit)}},
      yAxis: {...axisStyle(), type: 'value', min: 0,
              axisLabel: {...axisStyle().axisLabel, formatter: (value) => withUnit(value, value === 0 ? '' : model.yUnit)}},
      dataZoom: zoomBoth(model.height),
      series: [
        ...model.lines.map((line) => ({
          type: points ? 'scatter' : 'line', name: line.name, data: line.points, step: points ? undefined : 'end',
          symbol: points ? 'circle' : 'none', symbolSize: 6, sampling: 'lttb',
          lineStyle: {width: 1.5, color: colour(line.tone)}, itemStyle: {color: colour(line.tone)},
        })),
        ...(model.marks.length === 0 ? [] : [
          {type: 'scatter', data: model.marks, symbolSize: 9, itemStyle: {color: colour('warning')}, z: 5}]),
      ],
    };
  }

  function heatOption(model) {
    const cells = model.values.map((value, i) => [i % model.x.length, Math.floor(i / model.x.length), value]);
    return {
      ...base(),
      grid: {left: 48, right: 2, top: 0, bottom: 20},
      tooltip: {...base().tooltip,
                formatter: (item) => lines(
                    `${model.yTitle} ${model.y[item.value[1]]}, ${model.xTitle} ${model.x[item.value[0]]}`,
                    withUnit(item.value[2], model.unit))},
      xAxis: {...axisStyle(), type: 'category', data: model.x, splitLine: {show: false}},
      yAxis: {...axisStyle(), type: 'category', data: model.y, inverse: true, splitLine: {show: false}},
      visualMap: {show: false, min: 0, max: model.full || 1, inRange: {color: [colour('raised'), colour('accent')]}},
      series: [{type: 'heatmap', data: cells.filter((cell) => cell[2] !== null),
                itemStyle: {borderColor: colour('paper'), borderWidth: 1}}],
    };
  }

  function tracksOption(model) {
    const [TRACK, BEGIN, END, NAME, TONE] = [0, 1, 2, 3, 4];
    function bar(area, api) {
      const item = model.items[area.dataIndex];
      const [left, middle] = api.coord([item[BEGIN], item[TRACK]]);
      const right = api.coord([item[END], item[TRACK]])[0];
      const shape = echarts.graphic.clipRectByRect(
          {x: left, y: middle - 9, width: Math.max(right - left, 1), height: 18}, area.coordSys);
      if (!shape) return null;
      const text = shape.width > 40 && item[TONE] !== 'idle' ? model.names[item[NAME]] : '';
      return {
        type: 'rect', shape, style: {fill: colour(item[TONE]), stroke: colour('paper'), lineWidth: .5},
        textConfig: {position: 'insideLeft', distance: 3},
        textContent: {style: {text, width: shape.width - 6, overflow: 'truncate', fill: colour('inside'), fontSize: 11.5}},
      };
    }
    return {
      ...base(),
      grid: {left: 108, right: 8, top: 0, bottom: 44},
      tooltip: {...base().tooltip,
                formatter: ({dataIndex}) => {
                  const item = model.items[dataIndex];
                  return lines(model.names[item[NAME]],
                               `${model.tracks[item[TRACK]]}: ${withUnit(item[BEGIN], model.unit)} + ` +
                                   withUnit(+(item[END] - item[BEGIN]).toFixed(4), model.unit));
                }},
      xAxis: {...axisStyle(), type: 'value', min: 0, max: model.length,
              axisLabel: {...axisStyle().axisLabel, showMaxLabel: false, formatter: (value) => withUnit(value, model.unit)}},
      yAxis: {...axisStyle(), type: 'category', data: model.tracks.map((_, track) => track), inverse: true,
              splitLine: {show: false},
              axisLabel: {color: colour('soft'), fontSize: 12, interval: 0, width: 98, overflow: 'truncate',
                          formatter: (track) => model.tracks[track]}},
      dataZoom: zoomBoth(model.height),
      series: [{
        type: 'custom', renderItem: bar, encode: {x: [BEGIN, END], y: TRACK}, data: model.items.map((item) => item.slice(0, 3)),
        markArea: model.marked && {
          silent: true, itemStyle: {color: colour('warning'), opacity: .14},
          data: [[{xAxis: model.marked[0]}, {xAxis: model.marked[1]}]],
        },
      }],
    };
  }

  const OPTIONS = {bars: barsOption, lines: linesOption, heat: heatOption, tracks: tracksOption};
  const optionOf = (model, width) => OPTIONS[model.kind](model, width);

  // ---- putting a chart into the place of its picture ---------------------------------------------------------------
  function zoomByKeys(element, chart) {
    element.addEventListener('keydown', (event) => {
      const zoom = (chart.getOption().dataZoom || [])[0];
      if (!zoom || event.ctrlKey || event.metaKey || event.altKey) return;
      const width = zoom.end - zoom.start;
      const middle = (zoom.start + zoom.end) / 2;
      const to = {
        '+': [middle - width / 4, middle + width / 4],
        '-': [middle - width, middle + width],
        'ArrowLeft': [zoom.start - width / 4, zoom.end - width / 4],
        'ArrowRight': [zoom.start + width / 4, zoom.end + width / 4],
        '0': [0, 100],
      }[event.key];
      if (!to) return;
      event.preventDefault();
      const shift = Math.max(0, -to[0]) - Math.max(0, to[1] - 100);
      chart.dispatchAction({type: 'dataZoom', start: Math.max(0, to[0] + shift), end: Math.min(100, to[1] + shift)});
    });
  }

  // Entries of the legend become buttons that hide and show their series.
  function toggleByLegend(figure, chart) {
    for (const entry of figure.querySelectorAll('.legend li')) {
      const toggle = document.createElement('button');
      toggle.type = 'button';
      toggle.setAttribute('aria-pressed', 'true');
      toggle.append(...entry.firstElementChild.childNodes);
      const name = entry.dataset.series;
      toggle.addEventListener('click', () => {
        toggle.setAttribute('aria-pressed', String(toggle.getAttribute('aria-pressed') !== 'true'));
        chart.dispatchAction({type: 'legendToggleSelect', name});
      });
      entry.replaceChildren(toggle);
    }
  }

  function bringToLife(place) {
    const model = charts[place.dataset.chart];
    const picture = place.querySelector('.static');
    const element = document.createElement('div');
    element.className = 'live';
    element.tabIndex = 0;
    element.style.height = place.style.minHeight;
    place.append(element);
    const chart = echarts.init(element, null, {renderer: 'svg'});
    chart.setOption(optionOf(model, chart.getWidth()));
    element.setAttribute('role', 'group');
    element.setAttribute('aria-label', picture.querySelector('svg').getAttribute('aria-label'));
    picture.hidden = true;
    live.push({chart, model});
    zoomByKeys(element, chart);
    if ((model.series || model.lines || []).length > 1) toggleByLegend(place.closest('figure'), chart);
    new ResizeObserver(() => {
      chart.resize();
      chart.setOption(optionOf(model, chart.getWidth()), {replaceMerge: ['xAxis', 'yAxis']});
    }).observe(element);
  }

  // One after the other, so that the page can be read and scrolled meanwhile.
  function bringAllToLife(places) {
    const [place, ...rest] = places;
    if (!place) return document.documentElement.setAttribute('data-charts', 'live');
    bringToLife(place);
    setTimeout(() => bringAllToLife(rest));
  }

  // On paper everything is open.
  const closed = [];
  addEventListener('beforeprint', () => {
    for (const details of document.querySelectorAll('details:not([open])')) {
      details.open = true;
      closed.push(details);
    }
  });
  addEventListener('afterprint', () => {
    for (const details of closed.splice(0)) details.open = false;
  });

  button.hidden = false;
  useTheme('auto');
  button.addEventListener('click', () => useTheme(nextTheme()));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => useTheme(button.dataset.theme));
  if (typeof echarts !== 'undefined') bringAllToLife([...document.querySelectorAll('.chart')]);
})();
