#!/usr/bin/env python3
"""Looks at the reports of hta in a headless Chromium, after looking at pages with faults to see that the checks find them.

    run.py --hta build/release/hta                     all of it; the last line is `N passed, N failed`
    run.py --hta ... --filter demo                     only tests with this in their name
    run.py --hta ... --screenshots FOLDER              writes pictures instead, for somebody to look at
"""
import argparse
import contextlib
import functools
import os
import pathlib
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

try:
    from chromium import Browser
except ImportError as problem:
    sys.exit(f'browser: error: {problem}; scripts/setup --browser installs what is missing')
import checks
import faulty
import reports

VIEWS = [(width, scheme) for width in checks.WIDTHS for scheme in checks.SCHEMES]


def report_tests(recipes, pages):
    """Makes the pages, appends them to pages. -> (name, function of a browser that returns faults)"""
    for name, make in recipes.items():
        try:
            page = make()
        except RuntimeError as problem:
            yield f'{name}: is made', functools.partial(fail, str(problem))
            continue
        pages.append(page)
        for check in checks.OF_CONTENT + (checks.OF_BUILD if page.thoroughly else ()):
            yield f'{name}: {check.__name__}', functools.partial(call, check, page)


def call(check, page, browser):
    return check(browser, page)


def fail(problem, _):
    return [problem]


def run(tests):
    """Runs the tests side by side, each thread in a browser of its own. -> (passed, failed)"""
    passed = failed = 0
    own = threading.local()
    with contextlib.ExitStack() as browsers, ThreadPoolExecutor(os.cpu_count()) as pool:
        def look(test):
            if not hasattr(own, 'browser'):
                own.browser = browsers.enter_context(Browser())
            return look_with(own.browser, test)
        for (name, _), (faults, seconds) in zip(tests, pool.map(look, (test for _, test in tests))):
            passed, failed = passed + (not faults), failed + bool(faults)
            print(f'{"FAILED" if faults else "ok":6} {name} ({seconds:.1f} s)', flush=True)
            for fault in faults:
                print(f'       {fault}', flush=True)
    return passed, failed


def look_with(browser, test):
    """-> (faults, seconds)"""
    begin = time.monotonic()
    try:
        faults = test(browser)
    except Exception as problem:  # a probe that broke on this page; the other tests go on
        faults = [f'the check itself failed: {problem}']
    return faults, time.monotonic() - begin


def take_screenshots(recipes, folder):
    folder.mkdir(parents=True, exist_ok=True)
    with Browser() as browser:
        for name, make in recipes.items():
            page = make()
            for width, scheme in VIEWS:
                browser.open(page.file, width, scheme)
                browser.probe('scroll_through')
                browser.screenshot(folder / f'{name}-{width}-{scheme}.png')


def say_what_is_skipped():
    if not reports.REAL.is_dir():
        print(f'SKIPPED: reports of {", ".join(reports.REAL_RUNS)} (no ../shared)')
    if not reports.has_chart_library():
        print('SKIPPED: interactive charts (no chart library here; scripts/fetch-echarts fetches it)')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--hta', required=True, help='the program')
    parser.add_argument('--filter', default='', help='only tests with this in their name')
    parser.add_argument('--screenshots', type=pathlib.Path, metavar='FOLDER', help='write pictures and test nothing')
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='hta-reports-') as name:
        folder = pathlib.Path(name)
        recipes = reports.Reports(options.hta, folder).recipes()
        if options.screenshots:
            take_screenshots({name: make for name, make in recipes.items() if options.filter in name}, options.screenshots)
            return 0
        pages = []
        tests = [*faulty.tests(folder), *report_tests(recipes, pages)]
        passed, failed = run([test for test in tests if options.filter in test[0]])
    say_what_is_skipped()
    for page in pages:
        if page.measured:
            print(f'{page.name}: {page.measured}')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
