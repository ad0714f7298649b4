"""Tests of the checks themselves: a sound page passes them all, and with a fault in it the right one finds it."""
import functools
import threading

import checks
from reports import Page

SOUND = '''<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Sound</title>
<style>
:root { color-scheme: light dark; } body { margin: 1em; background: #fff; color: #222; }
@media print { :root { color-scheme: light; } details::details-content { content-visibility: visible; } }
:focus-visible { outline: 2px solid #c60; }
svg { max-width: 100%; }
</style>
<style id="dark" media="screen and (prefers-color-scheme: dark)">
body { background: #111; color: #ddd; } a { color: #9cf; } text { fill: #ddd }
</style></head><body>
<a href="#main">Skip</a> <a href="#chart">Chart</a>
<button id="theme">Theme</button>
<main id="main"><h1>Sound</h1><h2>Chart</h2>
<figure id="chart"><svg role="img" aria-label="bars" width="200" height="100" viewBox="0 0 200 100">
<rect x="10" y="10" width="50" height="80" fill="#08c"/><rect x="80" y="40" width="50" height="50" fill="#c50"/>
<text x="150" y="50">bars</text></svg>
<figcaption>Two bars</figcaption>
<details><summary>Table</summary><table><thead><tr><th>bar</th></tr></thead><tbody><tr><td>&lt;script&gt;</td></tr></tbody></table></details>
</figure></main>
<script>theme.addEventListener('click', () => { dark.media = dark.media === 'screen' ? 'not all' : 'screen'; });</script>
</body></html>
'''
# The same with its picture in the hands of something like the chart library.
INTERACTIVE = SOUND.replace('</body>', '''<p>Charts: Apache ECharts, Apache License 2.0</p>
<script>// Licensed to the Apache Software Foundation
const chart = document.createElement('div');
chart.setAttribute('_echarts_instance_', 'one');
chart.append(document.querySelector('svg'));
document.querySelector('figure').prepend(chart);
document.documentElement.dataset.charts = 'live';
const series = [{ getData: () => ({ count: () => 2 }) }];
chart.tabIndex = 0;
chart.addEventListener('keydown', (event) => { chart.querySelector('rect').setAttribute('width', event.key === '+' ? 99 : 50); });
const tip = document.createElement('p');
chart.append(tip);
window.echarts = {
  getInstanceByDom: () => ({ getModel: () => ({ getSeries: () => series }), dispatchAction: () => { tip.textContent = '<b>'; } })
};
</script></body>''')
NEVER_FAST_ENOUGH = functools.partial(checks.opens_fast, most_ms=0)
ALWAYS_TOO_LARGE = functools.partial(checks.opens_fast, most_bytes=10)

# (check, what is replaced in the sound page, what by, a part of what the check must say)
FAULTS = (
    (checks.is_quiet, '</main>', '<script>console.warn("hm")</script></main>', 'console: WARNING'),
    (checks.is_quiet, '</main>', '<script>no_such_function()</script></main>', 'console: SEVERE'),
    (checks.is_quiet, '</main>', '<img src="http://127.0.0.1:9/x.png" alt="">', 'request: http://127.0.0.1:9/x.png'),
    (checks.is_quiet, '<table>', '<table><td><img loading="lazy" src="other.png" alt=""></td>', 'other.png'),
    (checks.draws_charts, 'fill="#08c"', 'fill="none"', 'draws nothing'),
    (checks.draws_charts, '<rect x="10"', '<rect x="310"', '1 of 2 marks are outside'),
    (checks.draws_charts, 'width="200" height="100"', 'width="10" height="5"', 'square pixels'),
    (checks.draws_charts, '<svg ', '<svg hidden style="display:none" ', '0 pictures to be seen'),
    (checks.draws_charts, 'aria-label="bars"', '', 'no label'),
    (checks.draws_charts, '<figcaption>Two bars</figcaption>', '', 'no caption'),
    (checks.draws_charts, '<figure id="chart">', '<div id="chart">', '0 charts, expected at least 1'),
    (checks.has_tables, '<tr><td>&lt;script&gt;</td></tr>', '', '0 rows'),
    (checks.has_tables, '<table>', '<table hidden></table><div>', 'chart: 0 rows'),
    (checks.fits_width, '</main>', '<p style="width: 900px">wide</p></main>', 'telephone: '),
    (checks.fits_width, '<table>', '<table style="width: 2000px">', 'screen: table'),
    (checks.is_readable, 'color: #222', 'color: #888', 'light: '),
    (checks.is_readable, 'text { fill: #ddd }', '', 'dark: text "bars"'),
    (checks.is_readable, 'x="150" y="50"', 'x="15" y="50" fill="#0098dc"', 'light: text "bars"'),
    (checks.is_readable, 'background: #111', 'background: #fff', 'not light and dark'),
    (checks.changes_theme, '<button', '<button hidden', 'no button for the theme'),
    (checks.changes_theme, "'not all'", "'screen'", 'leads to dark, dark, dark'),
    (checks.changes_theme, 'color: #ddd', 'color: #333', 'dark by choice: '),
    (checks.answers_buttons, '</main>', '<button>Wait</button></main>', 'does nothing: button "Wait"'),
    (checks.answers_buttons, '</main>', '<button onclick="no_such_function()">Fail</button></main>', 'console: SEVERE'),
    (checks.is_usable_by_keyboard, '<summary>', '<summary onfocus="this.blur()">', 'without a stop: summary'),
    (checks.is_usable_by_keyboard, 'outline: 2px solid #c60', 'outline: none', 'no sign of the focus'),
    (checks.is_usable_by_keyboard, 'href="#main"', 'href="#main" onclick="event.preventDefault()"', 'the skip link does not lead'),
    (checks.is_usable_by_keyboard, 'href="#main"', 'href="other.html"', 'the first stop is no skip link'),
    (checks.is_usable_by_keyboard, 'href="#main"', 'href="#nowhere"', 'leads nowhere'),
    (checks.is_usable_by_keyboard, '<a href="#chart">', '<a href="#chart" style="position: absolute; left: -999px">', 'out of sight'),
    (checks.is_usable_by_keyboard, '<summary>', '<summary onkeydown="event.preventDefault()">', 'Enter does not open'),
    (checks.is_well_built, ' lang="en"', '', 'no lang'),
    (checks.is_well_built, '<h2>', '<h4>', 'h4 follows h1'),
    (checks.is_well_built, 'id="main"', 'id="chart"', 'id chart is there twice'),
    (checks.prints, '@media print', '@media nothing', 'not on paper: <script>'),
    (checks.prints, 'media="screen and (', 'media="(', 'dark on paper'),
    (checks.is_harmless, '&lt;script&gt;', '<img src=x onerror=window.pwned=1>', 'ran as a script'),
    (checks.is_harmless, '&lt;script&gt;', '<b onclick="">', 'became markup'),
    (checks.is_harmless, '&lt;script&gt;', '', 'cannot be read: <script>'),
    (checks.names_its_library, '</body>', '<!-- Licensed to the Apache Software Foundation --></body>', 'there is a chart library in it'),
    (NEVER_FAST_ENOUGH, '', '', 'load after'),
    (ALWAYS_TOO_LARGE, '', '', 'bytes'),
)
INTERACTIVE_FAULTS = (
    (checks.draws_charts, 'count: () => 2', 'count: () => 0', 'no data'),
    (checks.draws_charts, 'getSeries: () => series', 'getSeries: () => []', 'no data'),
    (checks.draws_charts, "'_echarts_instance_'", "'title'", 'is static'),
    (checks.draws_charts, "chart.append(document.querySelector('svg'))",
     "chart.innerHTML = '<svg width=90 height=90 aria-label=bars></svg>'", '2 pictures to be seen'),
    (checks.is_harmless, "tip.textContent = '<b>'", "tip.innerHTML = '<img src=x onerror=window.pwned=1>'", 'ran as a script'),
    (checks.zooms_by_keys, "'+' ? 99 : 50", "'+' ? 50 : 50", 'no chart looks closer'),
    (checks.zooms_by_keys, "'+' ? 99 : 50", "'+' ? 99 : 98", '0 does not go back'),
    (checks.names_its_library, '// Licensed', '//', 'no notices'),
    (checks.names_its_library, 'Apache License', 'licence', 'does not name it'),
    (NEVER_FAST_ENOUGH, '', '', 'chart after'),
)


def write(folder, text, interactive=False):
    file = folder / f'page-{threading.get_ident()}.html'  # tests run side by side
    file.write_text(text, encoding='utf-8')
    return Page('page', file, interactive, readable=('Sound', '<script>'))


def tests(folder):
    """-> (name, function of a browser that returns faults)"""
    for kind, sound, faults in (('static', SOUND, FAULTS), ('interactive', INTERACTIVE, INTERACTIVE_FAULTS)):
        interactive = kind == 'interactive'
        for check in checks.OF_CONTENT + checks.OF_BUILD:
            yield f'sound {kind} page: {check.__name__}', functools.partial(passes, check, folder, sound, interactive)
        for check, part, instead, words in faults:
            assert part in sound, part
            name = getattr(check, 'func', check).__name__
            page = sound.replace(part, instead, 1)
            yield f'{name} finds "{words}"', functools.partial(finds, check, folder, page, interactive, words)


def passes(check, folder, text, interactive, browser):
    return check(browser, write(folder, text, interactive))


def finds(check, folder, text, interactive, words, browser):
    faults = check(browser, write(folder, text, interactive))
    return [] if any(words in fault for fault in faults) else [f'it says {faults}']
