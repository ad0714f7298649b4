"""What must hold for every report: functions that open it and return the faults they find, in words."""
import itertools
import re
import subprocess
import tempfile

SCREEN, TELEPHONE = WIDTHS = (1280, 390)  # px
SCHEMES = ('light', 'dark')
LEAST_CONTRAST = 4.5  # of text, WCAG 2 level AA
LOUD = ('WARNING', 'SEVERE')
SHOWN_FAULTS = 5
NOTICE = 'Licensed to the Apache Software Foundation'


def few(faults):
    more = [f'... and {len(faults) - SHOWN_FAULTS} more'] if len(faults) > SHOWN_FAULTS else []
    return faults[:SHOWN_FAULTS] + more


def is_quiet(browser, page):
    """no warning or error on the console, and nothing asked for but the file itself, whatever is pointed at or opened"""
    browser.open(page.file)
    use(browser)
    faults = [f'console: {level}: {message}' for level, message in browser.console() if level in LOUD]
    faults += [f'request: {address}' for address in browser.requests()
               if address != browser.address and not address.startswith('data:')]
    return few(faults)


def use(browser):
    """Reads the page as a person would: scrolls, opens every table, points at the charts."""
    browser.probe('scroll_through')
    browser.probe('open_details')
    browser.probe('show_tooltips')
    for y in range(100, 900, 200):
        browser.move_mouse(640, y)


def draws_charts(browser, page):
    """every chart draws marks, in its frame, with a caption and a label, with scripts and without"""
    faults = []
    for scripts in (True, False):
        browser.open(page.file, scripts=scripts)
        if scripts:
            browser.probe('scroll_through')
        how = 'interactive' if scripts and page.interactive else 'static'
        charts = browser.probe('charts')
        if len(charts) < page.least_charts:
            faults.append(f'{how}: {len(charts)} charts, expected at least {page.least_charts}')
        for chart in charts:
            faults += [f'{how} chart {chart["id"]}: {fault}' for fault in chart_faults(chart, how == 'interactive')]
        if how == 'interactive':
            faults += [f'{how} chart {chart["id"]}: no data' for chart in browser.probe('series')
                       if not any(chart['data'])]
    return few(faults)


def chart_faults(chart, interactive):
    if interactive != chart['interactive']:
        yield 'is static' if interactive else 'is interactive'
    if len(chart['pictures']) != 1:
        yield f'{len(chart["pictures"])} pictures to be seen, expected one'
    for picture in chart['pictures']:
        if picture['area'] < 1000:
            yield f'its picture has only {picture["area"]:.0f} square pixels'
        if picture['marks'] < 2 or picture['fills'] < 1:
            yield 'draws nothing'
        if picture['outside']:
            yield f'{picture["outside"]} of {picture["marks"]} marks are outside of the picture'
    if not chart['labelled']:
        yield 'has no label for those who cannot see it'
    if not chart['caption']:
        yield 'has no caption'


def fits_width(browser, page):
    """no sideways scrolling on a screen, in a narrow window and on a telephone, with all tables open"""
    faults = []
    browser.open(page.file)
    browser.probe('scroll_through')
    browser.probe('open_details')
    faults += width_faults(browser, SCREEN, 'screen')
    browser.resize(TELEPHONE)
    browser.probe('settle')
    faults += width_faults(browser, TELEPHONE, 'narrow window')
    for scripts in (True, False):
        browser.open(page.file, TELEPHONE, scripts=scripts)
        if scripts:
            browser.probe('scroll_through')
        browser.probe('open_details')
        faults += width_faults(browser, TELEPHONE, 'telephone' if scripts else 'telephone without scripts')
    return few(faults)


def width_faults(browser, width, where):
    wide = browser.probe('wider_than', width)
    if wide['page'] > width:
        yield f'{where}: the page is {wide["page"]} px wide'
    yield from (f'{where}: {element} sticks out' for element in few(wide['elements']))


def is_readable(browser, page):
    """text stands out from its background, light and dark, with scripts and without, and light and dark differ"""
    faults = []
    brightness = {}
    for scheme, scripts in itertools.product(SCHEMES, (True, False)):
        browser.open(page.file, scheme=scheme, scripts=scripts)
        if scripts:
            browser.probe('scroll_through')
        brightness[scheme] = browser.probe('page_colours')['background']
        where = scheme if scripts else f'{scheme}, static'
        faults += [f'{where}: {fault}' for fault in few(browser.probe('faint_texts', LEAST_CONTRAST))]
    if not (brightness['light'] > 0.7 and brightness['dark'] < 0.1):
        faults.append('backgrounds are not light and dark: {light:.2f}, {dark:.2f}'.format(**brightness))
    return faults


def changes_theme(browser, page):
    """a button takes it from light to dark, where its text can be read as well, and back"""
    browser.open(page.file)
    browser.probe('scroll_through')
    seen = []
    for _ in range(3):
        if not browser.probe('press_theme'):
            return ['there is no button for the theme']
        seen.append('dark' if browser.probe('page_colours')['background'] < 0.1 else 'light')
        if seen[-1] == 'dark':
            faint = browser.probe('faint_texts', LEAST_CONTRAST)
    if set(seen) != set(SCHEMES):
        return [f'the button for the theme leads to {", ".join(seen)}']
    return [f'dark by choice: {fault}' for fault in few(faint)]


def answers_buttons(browser, page):
    """every button does something, and none ends in an error"""
    browser.open(page.file)
    browser.probe('scroll_through')
    faults = [f'does nothing: {name}' for name in browser.probe('idle_buttons')]
    faults += [f'console: {level}: {message}' for level, message in browser.console() if level in LOUD]
    return few(faults)


def zooms_by_keys(browser, page):
    """in some of the interactive charts + looks closer and 0 goes back"""
    browser.open(page.file)
    browser.probe('scroll_through')
    zoomed, left = 0, []
    for index in itertools.count():
        if not browser.probe('focus_chart', index):
            break
        before = browser.probe('focused_chart')
        browser.press('+')
        changed = browser.probe('focused_chart') != before
        browser.press('0')
        zoomed += changed
        if browser.probe('focused_chart') != before:
            left.append(f'chart {index}: 0 does not go back')
    return few(left if zoomed or not page.interactive else ['no chart looks closer'])


def is_usable_by_keyboard(browser, page):
    """Tab reaches everything in order and shows where it is; the skip link skips; Enter opens a table"""
    browser.open(page.file)
    browser.probe('scroll_through')
    wanted = browser.probe('focusables')
    stops = []
    for _ in range(len(wanted) + 3):
        browser.press('Tab')
        stop = browser.probe('focused')
        if stop is None:
            break
        stops.append(stop)
    faults = [f'without a stop: {name}' for index, name in enumerate(wanted) if index not in {stop['index'] for stop in stops}]
    if [stop['index'] for stop in stops] != sorted({stop['index'] for stop in stops}):
        faults.append('the stops are not in the order of the page, or there is no way out')
    faults += [f'no sign of the focus on {stop["name"]}' for stop in stops if not stop['marked']]
    faults += [f'focused out of sight: {stop["name"]}' for stop in stops if not stop['seen']]
    faults += [f'leads nowhere: {name}' for name in browser.probe('broken_anchors')]
    return few(faults + skip_link_faults(browser, page) + opening_faults(browser, len(stops)))


def skip_link_faults(browser, page):
    browser.open(page.file)
    browser.press('Tab')
    first = browser.probe('focused')
    if first is None or not (first['href'] or '').startswith('#'):
        return [f'the first stop is no skip link: {first and first["name"]}']
    browser.press('Enter')
    browser.press('Tab')
    after = browser.probe('after_skip')
    return [] if after['beyond'] else [f'the skip link does not lead to {after["target"]}']


def opening_faults(browser, most_stops):
    for _ in range(most_stops):
        stop = browser.probe('focused')
        if stop and stop['tag'] == 'summary':
            before = browser.probe('focused_details_open')
            browser.press('Enter')
            return [] if browser.probe('focused_details_open') != before else [f'Enter does not open {stop["name"]}']
        browser.press('Tab')
    return ['there is nothing to open']


def prints(browser, page):
    """makes a PDF of dark on light that holds the text of the page and of the tables"""
    browser.open(page.file, scheme='dark', media='print')
    faults = []
    if browser.probe('page_colours')['background'] < 0.9:
        faults.append('the background is dark on paper')
    browser.open(page.file, scheme='dark')
    wanted = [*page.readable, browser.probe('last_cell')]
    with tempfile.NamedTemporaryFile(suffix='.pdf') as file:
        file.write(browser.print_pdf())
        file.flush()
        printed = subprocess.run(['pdftotext', '-layout', file.name, '-'], capture_output=True, text=True, check=False).stdout
    return faults + [f'not on paper: {text}' for text in wanted if squeezed(text) not in squeezed(printed)]


def squeezed(text):
    """Without what a line break on paper or the beginning of a sentence changes."""
    return re.sub(r'\s+', '', text).casefold()


def has_tables(browser, page):
    """every chart has its table, reachable by opening it, with heads and rows"""
    browser.open(page.file, scripts=False)
    faults = []
    for table in browser.probe('tables'):
        if not table['reachable']:
            faults.append(f'{table["id"]}: no table')
        elif not (table['rows'] and table['heads']):
            faults.append(f'{table["id"]}: {table["rows"]} rows, {table["heads"]} heads')
    return few(faults)


def is_well_built(browser, page):
    """language, title, one h1 and one main, headings in steps, ids that are there once"""
    browser.open(page.file)
    found = browser.probe('structure')
    faults = [f'no {what}' for what in ('lang', 'title') if not found[what]]
    if found['headings'].count(1) != 1 or found['main'] != 1:
        faults.append(f'{found["headings"].count(1)} h1, {found["main"]} main')
    faults += [f'h{after} follows h{before}' for before, after in itertools.pairwise(found['headings']) if after > before + 1]
    faults += [f'id {name} is there twice' for name in sorted({name for name in found['ids'] if found['ids'].count(name) > 1})]
    return few(faults)


def is_harmless(browser, page):
    """nothing in the names of the trace runs or becomes markup, and what must be there to read is there"""
    browser.open(page.file)
    use(browser)
    faults = []
    found = browser.probe('intruders')
    if found['ran'] is not None:
        faults.append(f'a name ran as a script: {found["ran"]}')
    faults += [f'a name became markup: {element}' for element in found['elements']]
    text = squeezed(browser.probe('page_text'))
    faults += [f'cannot be read: {wanted}' for wanted in page.readable if squeezed(wanted) not in text]
    return few(faults)


def names_its_library(_, page):
    """a page with interactive charts carries the notices of the chart library and names its licence where people see it"""
    text = page.file.read_text(encoding='utf-8')
    held = NOTICE in text
    seen = re.sub(r'<script.*?</script>', '', text, flags=re.DOTALL)
    named = 'Apache ECharts' in seen and 'Apache License' in seen
    if page.interactive:
        return ([] if held else ['no notices']) + ([] if named else ['the page does not name it'])
    return ['there is a chart library in it'] if held else []


def opens_fast(browser, page, least_of=3, most_ms=1000, most_bytes=3_000_000):
    """under 3 MB, loaded and its first chart drawn within a second, the best of three times"""
    size = page.file.stat().st_size
    faults = [f'{size:,} bytes'] if size >= most_bytes else []
    best = {}
    for _ in range(least_of):
        browser.open(page.file)
        times = browser.probe('times', page.interactive)
        for what, ms in times.items():
            if ms is not None:
                best[what] = min(ms, best.get(what, ms))
    faults += [f'{what}: never' for what in times if what not in best]
    faults += [f'{what} after {ms:.0f} ms' for what, ms in best.items() if ms >= most_ms]
    page.measured = f'{size / 1e6:.2f} MB; ' + ', '.join(f'{what} after {ms:.0f} ms' for what, ms in best.items())
    return faults


# What may depend on what is in the traces, and what only on how the page is made.
OF_CONTENT = (is_quiet, draws_charts, has_tables, fits_width, is_readable, is_harmless)
OF_BUILD = (changes_theme, answers_buttons, zooms_by_keys, is_usable_by_keyboard, is_well_built, prints, names_its_library,
            opens_fast)
