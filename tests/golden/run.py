#!/usr/bin/env python3
"""Runs hta and compares what it prints, byte for byte, with what was written down.

A case is a folder tests/golden/<command>/<case>/ with the files
    cmd      what to run, from the project's root, by sh. Without a word $HTA in it, these are the arguments of hta.
    stdout   expected standard output   (no file: nothing may be printed)
    stderr   expected standard error    (no file: nothing may be printed)
    exit     expected exit status       (no file: 0)
    setup    optional: sh commands that prepare files in $TMP before
    files/   optional: the files that the command leaves in $TMP, all of them; .gz are compared unpacked
Variables in cmd and setup: $HTA (the program), $TMP (an empty folder of the case's own), $CASE (the folder of the case).
In expected text $TMP stands for that folder and $VERSION for the version of hta. Output is 100 columns wide.

    run.py --hta build/release/hta [--filter TEXT]       compare; the last line is `N passed, N failed`
    run.py --hta ... --rewrite [--filter TEXT]           write what hta prints now; then read the diff before you commit it
    run.py --hta ... --add idle/by-rank 'idle testdata/demo --by rank'      make a case and write it
"""
import argparse
import difflib
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PASSED_ON = ('PATH', 'ASAN_OPTIONS', 'UBSAN_OPTIONS', 'TSAN_OPTIONS', 'LSAN_OPTIONS')
MOST_DIFF_LINES = 60


def version_of(hta):
    run = subprocess.run([hta, '--version'], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    match = re.search(r'\d+\.\d+\.\d+\S*', run.stdout)
    if run.returncode != 0 or not match:
        sys.exit(f'golden: error: {hta} --version does not print a version: {run.stdout}{run.stderr}')
    return match.group()


class Case:
    def __init__(self, folder, options):
        self.folder, self.options = folder, options
        self.name = folder.relative_to(options.cases).as_posix()

    def expected(self, name):
        file = self.folder / name
        return file.read_bytes() if file.is_file() else b''

    def run(self):
        """-> {name: bytes}: stdout, stderr, exit and, where the case asks for them, files/..."""
        # Of one length everywhere, since the width of a table may follow the length of a path.
        temporary = pathlib.Path(tempfile.mkdtemp(prefix='hta-golden-', dir='/tmp'))
        try:
            return self.run_in(temporary)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)

    def run_in(self, temporary):
        environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        environment |= {'LC_ALL': 'C', 'TZ': 'UTC', 'COLUMNS': '100', 'HOME': str(temporary), 'HTA': str(self.options.hta),
                        'TMP': str(temporary), 'CASE': os.path.relpath(self.folder, ROOT)}

        def shell(text):
            return subprocess.run(['sh', '-c', text], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=self.options.timeout, check=False)

        if (setup := self.expected('setup').decode()):
            done = shell(f'set -e\n{setup}')
            if done.returncode != 0:
                raise RuntimeError(f'setup failed with exit status {done.returncode}: {done.stderr.decode(errors="replace")}')
        before = contents(temporary)
        command = self.expected('cmd').decode().strip()
        done = shell(command if re.search(r'\$\{?HTA\b', command) else f'"$HTA" {command}')
        got = {'stdout': self.mask(done.stdout, temporary), 'stderr': self.mask(done.stderr, temporary),
               'exit': b'' if done.returncode == 0 else b'%d\n' % done.returncode}
        if (self.folder / 'files').is_dir():
            for name, data in contents(temporary).items():
                if before.get(name) != data:
                    got[f'files/{name}'] = self.mask(data, temporary)
        return got

    def mask(self, data, temporary):
        data = data.replace(str(temporary).encode(), b'$TMP')
        return re.sub(rb'(?<![\w.])' + re.escape(self.options.version.encode()) + rb'(?![\w.]*\w)', b'$VERSION', data)

    def wanted(self):
        wanted = {name: self.expected(name) for name in ('stdout', 'stderr', 'exit')}
        if wanted['exit'].strip() in (b'', b'0'):
            wanted['exit'] = b''
        return wanted | {f'files/{name}': data for name, data in contents(self.folder / 'files').items()}

    def compare(self):
        """-> None if all is as expected, else text that shows the difference"""
        try:
            got = self.run()
        except (RuntimeError, subprocess.TimeoutExpired) as problem:
            return f'{problem}\n'
        wanted = self.wanted()
        parts = []
        for name in sorted(wanted.keys() | got.keys(), key=lambda name: (name != 'exit', name != 'stderr', name)):
            if name not in got:
                parts.append(f'{name} was not written\n')
            elif name not in wanted:
                parts.append(f'{name} was written and is not expected\n')
            elif wanted[name] != got[name]:
                parts.append(difference(name, wanted[name], got[name]))
        return ''.join(parts) or None

    def rewrite(self):
        """-> names of the files that changed"""
        got, wanted, changed = self.run(), self.wanted(), []
        for name in sorted(wanted.keys() | got.keys()):
            if wanted.get(name) == got.get(name):
                continue
            changed.append(name)
            file = self.folder / name
            if not got.get(name) and not name.startswith('files/') or name not in got:
                file.unlink()
            else:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(gzip.compress(got[name], mtime=0) if name.endswith('.gz') else got[name])
        return changed


def contents(folder):
    """-> {path below folder: bytes}, .gz unpacked"""
    result = {}
    for file in sorted(folder.rglob('*')):
        if file.is_file() and file.name != '.gitkeep':
            data = file.read_bytes()
            if file.suffix == '.gz':
                try:
                    data = gzip.decompress(data)
                except (OSError, EOFError):
                    pass  # cut or no gzip at all: compared as it is
            result[file.relative_to(folder).as_posix()] = data
    return result


def difference(name, wanted, got):
    if name == 'exit':
        return f'exit status: expected {wanted.decode().strip() or 0}, got {got.decode().strip() or 0}\n'
    lines = [data.decode('utf-8', 'backslashreplace').splitlines(keepends=True) for data in (wanted, got)]
    diff = [line if line.endswith('\n') else line + '\n\\ no newline at the end\n'
            for line in difflib.unified_diff(*lines, f'{name} expected', f'{name} got')]
    if len(diff) > MOST_DIFF_LINES:
        diff[MOST_DIFF_LINES:] = [f'... {len(diff) - MOST_DIFF_LINES} more lines\n']
    return ''.join(diff) or f'{name} differs in bytes that are not text\n'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--hta', required=True, type=lambda text: pathlib.Path(text).resolve(), help='the program')
    parser.add_argument('--cases', type=lambda text: pathlib.Path(text).resolve(), default=HERE, help='default: beside this program')
    parser.add_argument('--filter', action='append', default=[], metavar='TEXT',
                        help='only cases whose <command>/<case> holds the text; may be repeated')
    parser.add_argument('--rewrite', action='store_true', help='write what hta prints now')
    parser.add_argument('--add', nargs=2, metavar=('COMMAND/CASE', 'CMD'), help='make a case and write what hta prints')
    parser.add_argument('-j', type=int, default=2, metavar='N', help='cases at a time (default 2)')
    parser.add_argument('--timeout', type=float, default=120, help='seconds for one case')
    options = parser.parse_args()
    options.version = version_of(options.hta)
    if options.add:
        name, command = options.add
        if name.count('/') != 1 or (options.cases / name).exists():
            parser.error(f'{name}: a new case is named COMMAND/CASE, and is not there yet')
        (options.cases / name).mkdir(parents=True)
        (options.cases / name / 'cmd').write_text(command.strip() + '\n', encoding='utf-8')
        case = Case(options.cases / name, options)
        print(f'{name}: wrote {", ".join(case.rewrite()) or "nothing: no output and exit status 0"}')
        return 0
    cases = [Case(file.parent, options) for file in sorted(options.cases.glob('*/*/cmd'))]
    cases = [case for case in cases if not options.filter or any(text in case.name for text in options.filter)]
    if not cases:
        sys.exit('golden: error: no cases' + (' of that name' if options.filter else f' in {options.cases}'))

    failed = 0
    with ThreadPoolExecutor(max(1, options.j)) as pool:
        if options.rewrite:
            for case, changed in zip(cases, pool.map(Case.rewrite, cases)):
                if changed:
                    print(f'rewrote {case.name}: {", ".join(changed)}')
            return 0
        for case, problem in zip(cases, pool.map(Case.compare, cases)):
            if problem:
                failed += 1
                print(f'FAIL {case.name}: {case.expected("cmd").decode().strip()}')
                print('\n'.join('    ' + line for line in problem.splitlines()), flush=True)
    print(f'{len(cases) - failed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
