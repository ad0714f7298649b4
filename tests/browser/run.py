#!/usr/bin/env python3
"""Looks at the reports of hta in a headless Chromium, after looking at pages with faults to see that the checks find them.

    run.py --hta build/release/hta                     all of it; the last line is `N passed, N failed`
    run.py --hta ... --filter demo                     only tests with this in their name
    run.py --hta ... --screenshots FOLDER              writes pictures instead, for somebody to look at
"""
import argparse
import functools
import pathlib
import sys
import tempfile
import time

try:
    from chromium import Browser
except ImportError as problem:
    sys.exit(f'browser: error: {problem}; scripts/setup --browser installs what is missing')
import checks
import faulty
import reports

VIEWS = [(width, scheme) for width in checks.WIDTHS for scheme in checks.SCHEMES]


def report_tests(pages):
    """-> (name, function of a browser that returns faults, page)"""
    for page in pages:
        chosen = list(checks.GENERAL)
        if page.name == 'demo':
            chosen.append(checks.opens_fast)
        if page.readable:
            chosen.append(checks.is_harmless)
        for check in chosen:
            yield f'{page.name}: {check.__name__}', functools.partial(call, check, page)


def call(check, page, browser):
    return check(browser, page)


def make_pages(maker):
    pages = [maker.demo(), maker.comparison(), maker.hostile()]
    if reports.REAL.is_dir():
        pages += maker.real()
    else:
        print(f'SKIPPED: reports of {", ".join(reports.REAL_RUNS)} (no ../shared)')
    if not reports.library_is_there():
        print('SKIPPED: interactive charts (no chart library here; scripts/fetch-echarts fetches it)')
    return pages


def run(tests):
    passed = failed = 0
    with Browser() as browser:
        for name, test in tests:
            begin = time.monotonic()
            try:
                faults = test(browser)
            except Exception as problem:  # a probe that broke on this page; the other tests go on
                faults = [f'the check itself failed: {problem}']
            passed, failed = passed + (not faults), failed + bool(faults)
            print(f'{"FAILED" if faults else "ok":6} {name} ({time.monotonic() - begin:.1f} s)', flush=True)
            for fault in faults:
                print(f'       {fault}', flush=True)
    return passed, failed


def take_screenshots(pages, folder):
    folder.mkdir(parents=True, exist_ok=True)
    with Browser() as browser:
        for page in pages:
            for width, scheme in VIEWS:
                browser.open(page.file, width, scheme)
                browser.probe('scroll_through')
                browser.screenshot(folder / f'{page.name}-{width}-{scheme}.png')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--hta', required=True, help='the program')
    parser.add_argument('--filter', default='', help='only tests with this in their name')
    parser.add_argument('--screenshots', type=pathlib.Path, metavar='FOLDER', help='write pictures and test nothing')
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='hta-reports-') as name:
        folder = pathlib.Path(name)
        pages = make_pages(reports.Reports(options.hta, folder))
        if options.screenshots:
            take_screenshots([page for page in pages if options.filter in page.name], options.screenshots)
            return 0
        tests = [*faulty.tests(folder), *report_tests(pages)]
        passed, failed = run([test for test in tests if options.filter in test[0]])
    for page in pages:
        if page.measured:
            print(f'{page.name}: {page.measured}')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
