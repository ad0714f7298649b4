#!/usr/bin/env python3
"""Checks the HTML page of hta report as a document, without a browser.

    check_page.py --hta build/release/hta

For pages of testdata/ and of a trace whose names try to break out of the page:
  * elements are closed in the order in which they were opened, ids are unique, links lead to one;
  * nothing is fetched: no address but that of a namespace, no element that loads anything;
  * the content security policy allows exactly the scripts that the page holds, and no handler stands in an attribute;
  * every figure has a title and a caption, every picture a label, every mark lies inside its picture;
  * the same bytes at any number of threads; below 3 MB for the demo;
  * options that make no sense are refused with status 2, and no trace is ever replaced.
"""
import argparse
import base64
import hashlib
import html.parser
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / 'tests/support'))
from results import Results  # noqa: E402

VOID = {'meta', 'link', 'br', 'img', 'input', 'hr', 'base'}
LOADING = {'img', 'link', 'iframe', 'object', 'embed', 'video', 'audio', 'source', 'base', 'form', 'image', 'use'}
MOST_BYTES = 3_000_000
HOSTILE = ['</script><script>document.title="broken"</script>', '"><img src=x onerror=alert(1)>', "' onmouseover='alert(1)",
           '<!-- <script>', ']]> & &amp; \u202e \ud83d\ude00', '{{content}}']


class Page(html.parser.HTMLParser):
    """Reads a page and notes what is wrong with it."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.faults, self.open, self.ids, self.links, self.scripts = [], [], [], [], []
        self.figures, self.policy, self.data = [], '', ''
        self.feed(text)
        self.close()
        if self.open:
            self.faults.append(f'left open: {self.open}')
        self.faults += [f'id {i} stands twice' for i in {i for i in self.ids if self.ids.count(i) > 1}]
        self.faults += [f'link to #{link}, which is nowhere' for link in self.links if link not in self.ids]

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag in LOADING:
            self.faults.append(f'<{tag}> {attributes}')
        self.faults += [f'<{tag}> has a handler {name}' for name in attributes if name.startswith('on')]
        self.faults += [f'<{tag} {name}={value}> is an address' for name, value in attrs
                        if value and re.match(r'\s*(https?:|//|data:|javascript:)', value)]
        if 'id' in attributes:
            self.ids.append(attributes['id'])
        if tag == 'a':
            self.links.append(attributes.get('href', '').removeprefix('#'))
        if attributes.get('http-equiv') == 'Content-Security-Policy':
            self.policy = attributes['content']
        if tag == 'script':
            self.scripts.append([attributes.get('type', ''), ''])
        if tag == 'figure':
            self.figures.append({'id': attributes.get('id'), 'title': '', 'caption': '', 'pictures': 0, 'marks': 0})
        if self.figures:
            self.look_at_mark(tag, attributes)
        if tag not in VOID:
            self.open.append(tag)

    def look_at_mark(self, tag, attributes):
        figure = self.figures[-1]
        if tag == 'svg' and 'role' in attributes:
            figure['pictures'] += 1
            if not attributes.get('aria-label'):
                self.faults.append(f'{figure["id"]}: a picture without a label')
        if tag in ('rect', 'circle', 'path'):
            figure['marks'] += 1
        if tag == 'rect' and attributes['x'].endswith('%'):
            x, width = (float(attributes[name].removesuffix('%')) for name in ('x', 'width'))
            if x < 0 or width < 0 or x + width > 100.1:
                self.faults.append(f'{figure["id"]}: a mark from {x} % with {width} % lies outside')

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.faults.append(f'</{tag}> closes {self.open[-1:]} at {self.getpos()}')
        else:
            self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] == 'script':
            self.scripts[-1][1] += data
        elif 'figcaption' in self.open and self.figures:
            self.figures[-1]['title' if 'h3' in self.open else 'caption'] += data.strip()


def faults_of(text):
    page = Page(text)
    faults = page.faults
    allowed = set(re.findall(r"'sha256-([^']+)'", page.policy))
    held = {base64.b64encode(hashlib.sha256(code.encode()).digest()).decode() for kind, code in page.scripts if not kind}
    if allowed != held:
        faults.append(f'policy allows scripts {allowed}, the page holds {held}')
    if "default-src 'none'" not in page.policy or 'unsafe-inline' in page.policy.split('script-src')[1]:
        faults.append(f'policy: {page.policy}')
    charts = json.loads(next(code for kind, code in page.scripts if kind == 'application/json'))
    for figure in page.figures:
        if not figure['title'] or not figure['caption']:
            faults.append(f'{figure["id"]}: no title or no caption')
        if figure['pictures'] and not figure['marks']:
            faults.append(f'{figure["id"]}: an empty picture')
        if bool(figure['pictures']) != (figure['id'] in charts):
            faults.append(f'{figure["id"]}: {figure["pictures"]} pictures, data: {figure["id"] in charts}')
    if not page.figures:
        faults.append('no figure')
    return faults


def hostile_trace():
    """Kernels, operators, annotations and a thread with names that try everything; two ranks' worth of steps."""
    events, correlation = [], 0
    for step in range(4):
        for i, name in enumerate(HOSTILE):
            correlation += 1
            ts = step * 1000 + i * 120
            events += [
                {'ph': 'X', 'cat': 'cpu_op', 'name': name, 'pid': 1, 'tid': HOSTILE[1], 'ts': ts, 'dur': 60},
                {'ph': 'X', 'cat': 'cuda_runtime', 'name': 'cudaLaunchKernel', 'pid': 1, 'tid': HOSTILE[1], 'ts': ts + 40, 'dur': 5,
                 'args': {'correlation': correlation}},
                {'ph': 'X', 'cat': 'kernel', 'name': name, 'pid': 0, 'tid': 7, 'ts': ts + 50, 'dur': 30,
                 'args': {'device': 0, 'stream': 7, 'correlation': correlation}}]
        events.append({'ph': 'X', 'cat': 'user_annotation', 'name': f'ProfilerStep#{step}', 'pid': 1, 'tid': 1, 'ts': step * 1000, 'dur': 990})
    return json.dumps({'schemaVersion': 1, 'distributedInfo': {'rank': 0}, 'traceEvents': events})


class Checker(Results):
    def __init__(self, hta, folder):
        super().__init__()
        self.hta, self.folder = hta, folder

    def hta_run(self, *arguments):
        return subprocess.run([self.hta, *map(str, arguments)], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, check=False)

    def page(self, what, *arguments):
        """Makes a page, checks it, and returns its bytes."""
        done = self.hta_run('report', *arguments)
        if done.returncode != 0:
            self.check(what, [f'exit status {done.returncode}: {done.stderr.decode()}'])
            return b''
        self.check(what, faults_of(done.stdout.decode('utf-8')))
        return done.stdout

    def refused(self, what, *arguments):
        done = self.hta_run('report', *arguments)
        lines = done.stderr.decode().splitlines()
        self.check(what, [] if done.returncode == 2 and lines and lines[-1].startswith('hta: error: ') and not done.stdout
                   else [f'exit status {done.returncode}: {done.stderr.decode()}'])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--hta', required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='hta-page-') as folder:
        folder = pathlib.Path(folder)
        checker = Checker(str(pathlib.Path(options.hta).resolve()), folder)
        demo = checker.page('demo', 'testdata/demo')
        checker.check('size of demo', [] if 0 < len(demo) < MOST_BYTES else [f'{len(demo)} bytes'])
        for threads in (1, 2, 5):
            again = checker.page(f'demo with {threads} threads', 'testdata/demo', '-j', threads)
            checker.check(f'same bytes with {threads} threads', [] if again == demo else ['they differ'])
        for path in ('testdata/copies/rank-0.json', 'testdata/memory/rank-0.json', 'testdata/critical-path/iteration.json'):
            checker.page(path, path)
        checker.page('two runs', '--diff', 'testdata/regression/base', 'testdata/regression/test')
        checker.page('one rank, one step', 'testdata/demo', '--rank', '3', '--step', '2')

        trace = folder / 'rank-0 "><b>.json'
        trace.write_text(hostile_trace())
        checker.page('hostile names', trace)
        checker.refused('over an input', trace, '-o', trace)
        checker.check('the input is as it was', [] if trace.read_text() == hostile_trace() else ['it was changed'])
        checker.refused('another format', 'testdata/demo', '-f', 'json')
        checker.refused('a name of another format', 'testdata/demo', '-o', folder / 'page.json')
        checker.refused('one run to compare', '--diff', 'testdata/demo')
        target = folder / 'page.html'
        done = checker.hta_run('report', 'testdata/demo', '-o', target)
        checker.check('-o', [] if done.returncode == 0 and not done.stdout and target.read_bytes() == demo else [done.stderr.decode()])
    print(f'{checker.passed} passed, {checker.failed} failed')
    return 1 if checker.failed else 0


if __name__ == '__main__':
    sys.exit(main())
