"""Runs the stages of the test suite, one after the other, and sums up.

    scripts/test                  every stage
    scripts/test --quick          format, release build with its tests, the quick part of conformance: while you work
    scripts/test asan fuzz        these stages
    scripts/test unit_model       tests of the release build whose names begin with this
    scripts/test --list           what there is

A stage that fails does not keep the others from running. Logs are in build/test-logs/. The last line is
`N passed, N failed`; the exit status is 0 only if nothing failed.
"""
import argparse
import importlib.util
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LOGS = ROOT / 'build/test-logs'
CORES = str(os.cpu_count() or 2)
PYTHON = sys.executable
# An optional folder of conformance data beside the checkout: traces, the right answers, and the program that compares.
CONFORMANCE = ROOT.parent / 'shared/conformance/check.py'
# Joined kernel sequences are longer than the 128 KiB that Python's csv takes for a field, so the checker gets a larger limit.
RUN_CONFORMANCE = ('import csv, runpy, sys; csv.field_size_limit(1 << 30); sys.argv = sys.argv[1:]; '
                   'runpy.run_path(sys.argv[0], run_name="__main__")')
CONFORMANCE_SETS = ROOT / 'tests/conformance-sets.txt'
CONFORMANCE_EXCEPTIONS = ROOT / 'tests/conformance-exceptions.txt'
LONGEST_SECONDS = 30 * 60  # for one command of a stage
SHOWN_LINES = 60           # of a failed stage or test

ENVIRONMENT = {
    'ASAN_OPTIONS': 'detect_stack_use_after_return=1:strict_string_checks=1:check_initialization_order=1',
    'UBSAN_OPTIONS': 'print_stacktrace=1',
    'TSAN_OPTIONS': 'halt_on_error=1:second_deadlock_stack=1',
    'PYTHONDONTWRITEBYTECODE': '1',
}


class Skipped(Exception):
    """The stage cannot run here, and that is no failure; says why."""


class Stage:
    """A running stage: where its output goes and what was counted."""

    def __init__(self, name):
        self.name, self.passed, self.failed, self.excerpt = name, 0, 0, ''
        self.path = LOGS / f'{name}.log'
        self.log = self.path.open('w', encoding='utf-8', errors='replace')

    def count(self, passed, failed):
        self.passed += passed
        self.failed += failed

    def run(self, *command, counted=False):
        """Runs one command. -> whether it succeeded. One that is not counted by what it prints counts when it fails."""
        self.log.write(f'$ {shlex.join(command)}\n')
        self.log.flush()
        begin = self.path.stat().st_size
        status = run_to_end(command, self.log)
        with self.path.open(encoding='utf-8', errors='replace') as log:
            log.seek(begin)
            output = log.read()
        passed, failed = counts_in(output) if counted else (0, 0)
        if status != 0 and failed == 0:
            failed = 1
        self.count(passed, failed)
        if status != 0:
            self.excerpt += tail(output)
        return status == 0

    def configure_and_build(self, preset, *targets):
        options = ('--target', *targets) if targets else ()
        return (self.run('cmake', '--preset', preset) and
                self.run('cmake', '--build', f'build/{preset}', '-j', CORES, *options, '--', '-k', '0'))

    def ctest(self, preset, *options, wrapper=()):
        report = LOGS / f'{self.name}.xml'
        report.unlink(missing_ok=True)
        command = [*wrapper, 'ctest', '--test-dir', f'build/{preset}', '-j', CORES, '--no-tests=error', '--output-on-failure',
                   '--test-output-size-passed', '1000000', '--test-output-size-failed', '1000000', '--timeout', '1200',
                   '--output-junit', str(report), *options]
        self.log.write(f'$ {shlex.join(command)}\n')
        self.log.flush()
        status = run_to_end(command, self.log)
        passed, failed, excerpt = counts_of_ctest(report)
        if status != 0 and failed == 0:
            failed = 1
            excerpt = excerpt or tail(self.path.read_text(encoding='utf-8', errors='replace'))
        self.count(passed, failed)
        self.excerpt += excerpt


def run_to_end(command, log):
    """-> exit status; 124 after too long a time. The command and its children get a group of their own to be ended by."""
    try:
        child = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                                 env=os.environ | ENVIRONMENT, start_new_session=True)
    except OSError as problem:
        log.write(f'{problem}\n')
        log.flush()
        return 127
    try:
        return child.wait(LONGEST_SECONDS)
    except subprocess.TimeoutExpired:
        log.write(f'\nended after {LONGEST_SECONDS} s\n')
        log.flush()
        return 124
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()


def tail(text):
    """The last lines, without those that tell how far a build has come."""
    text = re.sub(r'^\[\d+/\d+\] .*\n', '', text, flags=re.MULTILINE)
    return '\n'.join(text.rstrip().splitlines()[-SHOWN_LINES:]) + '\n'


def counts_in(output):
    """What a test program says of itself, the last of it: our own closing line, Catch2's or unittest's. -> (passed, failed)"""
    found = None
    for line in output.splitlines():
        if match := re.match(r'^(\d+) passed, (\d+) failed$', line):
            found = int(match[1]), int(match[2])
        elif match := re.match(r'^All tests passed \(\d+ assertions? in (\d+) test cases?\)$', line):
            found = int(match[1]), 0
        elif match := re.match(r'^test cases:\s*(\d+) \|(?:\s*(\d+) passed \|)?\s*(\d+) failed', line):
            found = int(match[2] or 0), int(match[3])
        elif match := re.match(r'^Ran (\d+) tests? in ', line):
            found = int(match[1]), 0
        elif found and (match := re.match(r'^FAILED \((.*)\)$', line)):
            failed = sum(int(number) for number in re.findall(r'(?:failures|errors)=(\d+)', match[1]))
            found = found[0] - failed, failed
    return found or (0, 0)


def counts_of_ctest(report):
    """-> (passed, failed, text about what failed). A test counts as many as it says it holds, or one."""
    if not report.is_file():
        return 0, 0, ''
    passed = failed = 0
    excerpt = ''
    for case in xml.parse(report).getroot().iter('testcase'):
        output = case.findtext('system-out') or ''
        good, bad = counts_in(output)
        if case.get('status') == 'run':
            passed, failed = passed + (good or 1), failed + bad
        elif case.get('status') == 'fail':
            passed, failed = passed + good, failed + (bad or 1)
            excerpt += f'--- {case.get("name")}\n{tail(output)}'
    return passed, failed, excerpt


# ---- the stages ----------------------------------------------------------------------------------------------------
def stage_format(stage, _):
    stage.run('scripts/format', '--check', counted=True)


def stage_release(stage, options):
    if stage.configure_and_build('release'):
        stage.ctest('release', *(['-R', '^(' + '|'.join(map(re.escape, options.tests)) + ')'] if options.tests else []))


def stage_clang(stage, _):
    if stage.configure_and_build('clang'):
        stage.count(1, 0)


def stage_asan(stage, _):
    if stage.configure_and_build('asan'):
        # The rest looks at the source tree, or asks the same again.
        stage.ctest('asan', '-LE', '^(docs|layers|tools|compile-fail)$')


def stage_tsan(stage, _):
    if stage.configure_and_build('tsan', 'tests_threads'):
        # The runtime of this compiler does not find its memory where kernels spread addresses widely.
        fixed_addresses = ('setarch', '-R')
        works = subprocess.run([*fixed_addresses, 'true'], stderr=subprocess.DEVNULL, check=False).returncode == 0
        stage.ctest('tsan', '-L', '^threads$', wrapper=fixed_addresses if works else ())


def stage_fuzz(stage, _):
    if stage.configure_and_build('fuzz', 'fuzz_targets'):
        stage.ctest('fuzz', '-L', '^fuzz$')


def stage_lint(stage, _):
    stage.run('scripts/lint', '--all', counted=True)


def stage_instructions(stage, _):
    if not (ROOT / 'tests/bench/instructions.json').is_file():
        raise Skipped('no tests/bench/instructions.json; scripts/bench --instructions --update writes it')
    if stage.configure_and_build('release'):
        stage.run('scripts/bench', '--instructions', counted=True)


def stage_browser(stage, _):
    missing = [program for program in ('chromium', 'chromedriver', 'pdftotext') if shutil.which(program) is None]
    missing += [] if importlib.util.find_spec('selenium') else ['selenium']
    if missing:
        raise Skipped(f'no {", ".join(missing)}; scripts/setup --browser installs what is missing')
    if stage.configure_and_build('release', 'hta'):
        stage.run(PYTHON, '-B', 'tests/browser/run.py', '--hta', 'build/release/hta', counted=True)


def conformance(preset):
    def stage_conformance(stage, options):
        if not CONFORMANCE.is_file():
            raise Skipped('no ../shared')
        if not stage.configure_and_build(preset, 'hta'):  # never an old one
            return
        for run_preset, kind, arguments in conformance_runs():
            if run_preset == preset and (kind == 'quick' or not options.quick):
                stage.run(PYTHON, '-c', RUN_CONFORMANCE, str(CONFORMANCE), '--hta', f'build/{preset}/hta', '-j', CORES,
                          '--except', str(CONFORMANCE_EXCEPTIONS), *arguments, counted=True)
    return stage_conformance


def conformance_runs():
    for line in CONFORMANCE_SETS.read_text(encoding='utf-8').splitlines():
        if line.strip() and not line.startswith('#'):
            preset, kind, *arguments = shlex.split(line)
            yield preset, kind, arguments


# name: (what it does, function, whether --quick runs it). They run in this order.
STAGES = {
    'format': ('clang-format has nothing to change', stage_format, True),
    'release': ('g++, optimised, warnings are errors; all of ctest', stage_release, True),
    'conformance': ('the release build against real traces and known answers', conformance('release'), True),
    'browser': ('reports in a headless Chromium', stage_browser, False),
    'clang': ('all of it compiles with clang, warnings are errors', stage_clang, False),
    'asan': ('address and undefined-behaviour sanitizers; ctest', stage_asan, False),
    'conformance-asan': ('the sanitized build against damaged and odd traces', conformance('asan'), False),
    'tsan': ('thread sanitizer; tests with the label threads', stage_tsan, False),
    'fuzz': ('libFuzzer: a short search (only when named; ctest replays the corpus in every build)', stage_fuzz, False),
    'instructions': ('no command takes 3 % more instructions per event than before', stage_instructions, False),
    'lint': ('clang-tidy has nothing to say (only when named: it takes longer than all the others)', stage_lint, False),
}
ON_DEMAND = {'fuzz', 'lint'}


def run_stage(name, options):
    """-> (result, passed, failed, seconds)"""
    print(f'==> {name}: {STAGES[name][0]}', flush=True)
    begin = time.monotonic()
    stage = Stage(name)
    try:
        STAGES[name][1](stage, options)
        result = 'FAILED' if stage.failed else 'ok' if stage.passed else 'nothing'
    except Skipped as reason:
        result = 'skipped'
        print(f'SKIPPED: {name} ({reason})', flush=True)
    except Exception as problem:  # a fault of the stage itself: the others go on, and it counts
        stage.count(0, 1)
        stage.excerpt += f'the stage itself failed: {problem!r}\n'
        result = 'FAILED'
    finally:
        stage.log.close()
    if result == 'nothing':  # a stage that tested nothing did not pass
        stage.count(0, 1)
        stage.excerpt += 'nothing was tested\n'
        result = 'FAILED'
    if stage.excerpt:
        print(''.join(f'    {line}\n' for line in stage.excerpt.splitlines()), end='')
        print(f'    the whole log: {stage.path.relative_to(ROOT)}', flush=True)
    return result, stage.passed, stage.failed, time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(prog='scripts/test', description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--quick', action='store_true', help='only the stages to run while working')
    parser.add_argument('--list', action='store_true', help='list the stages')
    parser.add_argument('names', nargs='*', metavar='NAME', help='a stage, or the beginning of the name of a test')
    options = parser.parse_args()
    if options.list:
        for name, (what, _, quick) in STAGES.items():
            print(f'{name:17} {what}{" (quick)" if quick else ""}')
        return 0
    options.tests = [name for name in options.names if name not in STAGES]
    chosen = {name for name in options.names if name in STAGES} | ({'release'} if options.tests else set())
    names = [name for name, (_, _, quick) in STAGES.items() if (name in chosen if chosen else (quick or not options.quick) and name not in ON_DEMAND)]
    if shutil.which('cmake') is None:
        sys.exit('scripts/test: error: cmake is missing; run scripts/setup --tests')
    LOGS.mkdir(parents=True, exist_ok=True)
    # Ended from outside, it ends what it started, too, and still says how far it came.
    signal.signal(signal.SIGTERM, signal.default_int_handler)

    results = {}
    interrupted = False
    try:
        for name in names:
            results[name] = run_stage(name, options)
    except KeyboardInterrupt:
        interrupted = True
    print(f'\n{"stage":17} {"result":8} {"passed":>7} {"failed":>7} {"time":>8}')
    for name in names:
        if name in results:
            result, passed, failed, seconds = results[name]
            print(f'{name:17} {result:8} {passed:7} {failed:7} {seconds:6.1f} s')
        else:
            print(f'{name:17} {"not run":8}')
    passed, failed = (sum(result[index] for result in results.values()) for index in (1, 2))
    print(f'{passed} passed, {failed} failed')
    return 130 if interrupted else 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
