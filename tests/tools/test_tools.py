#!/usr/bin/env python3
"""Tests of the test tools themselves: a check that cannot fail checks nothing."""
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / 'tests/docs'), str(ROOT / 'scripts/lib')]
import check_docs  # noqa: E402
import run_stages  # noqa: E402


def run(*command):
    return subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


class InFolder(unittest.TestCase):
    def setUp(self):
        keeper = tempfile.TemporaryDirectory()
        self.addCleanup(keeper.cleanup)
        self.folder = pathlib.Path(keeper.name)

    def write(self, name, text):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text).lstrip('\n'), encoding='utf-8')
        return file


class Layers(InFolder):
    def faults(self):
        done = run(sys.executable, ROOT / 'scripts/check-layers', '--root', self.folder)
        lines = done.stdout.splitlines()
        self.assertEqual(done.returncode, 1 if len(lines) > 1 else 0, done.stdout + done.stderr)
        return lines[:-1]

    def setUp(self):
        super().setUp()
        for layer in ('base', 'model', 'input', 'result', 'analysis', 'report', 'cli'):
            self.write(f'include/hta/{layer}/x.h', '#pragma once\n')

    def test_allowed_arrows_pass(self):
        self.write('src/cli/main.cpp', '#include "hta/report/x.h"\n#include "hta/input/x.h"\n#include <CLI/CLI.hpp>\n')
        self.write('src/report/json.cpp', '#include "hta/version.h"\n')
        self.write('src/report/overlay_path.cpp', '#include "hta/input/x.h"\n')
        self.write('src/input/scan.cpp', '#include "scan_tables.h"\n#include "hta/model/x.h"\n')
        self.write('src/input/scan_tables.h', '#pragma once\n#include <zlib.h>\n')
        self.assertEqual(self.faults(), [])

    def test_forbidden_arrows_are_found(self):
        self.write('src/base/a.cpp', '#include "hta/model/x.h"\n#include "hta/version.h"\n')
        self.write('src/analysis/a.cpp', '// first\n#include "hta/input/x.h"\n')
        self.write('src/report/render.cpp', '#include "hta/input/x.h"\n')
        self.write('src/model/a.cpp', '#include "../input/scan_tables.h"\n')
        self.write('src/input/scan_tables.h', '#pragma once\n')
        self.assertEqual(self.faults(), [
            'src/analysis/a.cpp:2: "hta/input/x.h": analysis may not include input',
            'src/base/a.cpp:1: "hta/model/x.h": base may not include model',
            'src/base/a.cpp:2: "hta/version.h": only cli and report may include it',
            'src/model/a.cpp:1: "../input/scan_tables.h": leaves the sources of model',
            'src/report/render.cpp:1: "hta/input/x.h": report may not include input'])

    def test_headers_have_a_guard_and_no_third_party(self):
        self.write('include/hta/cli/x.h', '#include <CLI/CLI.hpp>\n#include <vector>\n')
        self.assertEqual(self.faults(), [
            'include/hta/cli/x.h:1: no #pragma once',
            'include/hta/cli/x.h:1: <CLI/CLI.hpp>: headers include the standard library only, the rest goes to sources'])

    def test_inner_layers_do_not_print(self):
        self.write('src/analysis/a.cpp', '''
            // std::cout << "in a comment"
            const char* text = "std::exit(1)";
            void f() { snprintf(buffer, 10'000, "%d", 1); trace.exit(1); }
            void g() { std::exit(1); }
            void h() { printf("x"); }
            ''')
        self.assertEqual(self.faults(), [
            'src/analysis/a.cpp:4: std::exit: analysis does not print or exit, it returns an error',
            'src/analysis/a.cpp:5: printf: analysis does not print or exit, it returns an error'])


class Golden(InFolder):
    def setUp(self):
        super().setUp()
        self.hta = self.write('bin/hta', '''
            #!/bin/sh
            case $1 in
              --version) echo "hta 1.2.3" ;;
              show) echo "hta 1.2.3 $COLUMNS in $TMP"; cat ;;
              write) echo made > "$2" ;;
              *) echo "hta: error: $1" >&2; exit 2 ;;
            esac
            ''')
        self.hta.chmod(0o755)

    def golden(self, *options):
        return run(sys.executable, ROOT / 'tests/golden/run.py', '--hta', self.hta, '--cases', self.folder / 'golden', *options)

    def test_output_status_and_errors_are_compared(self):
        self.write('golden/show/plain/cmd', 'show\n')
        self.write('golden/show/plain/stdout', 'hta $VERSION 100 in $TMP\n')
        self.write('golden/show/pipe/cmd', 'echo in | $HTA show | wc -l\n')
        self.write('golden/show/pipe/stdout', '2\n')
        self.write('golden/error/usage/cmd', 'nothing\n')
        self.write('golden/error/usage/stderr', 'hta: error: nothing\n')
        self.write('golden/error/usage/exit', '2\n')
        done = self.golden()
        self.assertEqual((done.returncode, done.stdout), (0, '3 passed, 0 failed\n'))
        self.write('golden/show/plain/stdout', 'hta $VERSION 99 in $TMP\n')
        (self.folder / 'golden/error/usage/exit').unlink()
        done = self.golden()
        self.assertEqual(done.returncode, 1)
        self.assertIn('    exit status: expected 0, got 2\n', done.stdout)
        self.assertIn('    -hta $VERSION 99 in $TMP\n    +hta $VERSION 100 in $TMP\n', done.stdout)
        self.assertTrue(done.stdout.endswith('1 passed, 2 failed\n'), done.stdout)
        self.assertEqual(self.golden('--filter', 'pipe').stdout, '1 passed, 0 failed\n')

    def test_an_unexpected_word_on_standard_error_fails(self):
        self.write('golden/error/usage/cmd', 'nothing\n')
        self.write('golden/error/usage/exit', '2\n')
        self.assertEqual(self.golden().returncode, 1)

    def test_files_are_compared(self):
        self.write('golden/write/file/setup', 'echo input > $TMP/in.txt\n')
        self.write('golden/write/file/cmd', 'write $TMP/out.txt\n')
        self.write('golden/write/file/files/out.txt', 'made\n')
        self.assertEqual(self.golden().stdout, '1 passed, 0 failed\n')
        self.write('golden/write/file/files/other.txt', 'made\n')
        self.assertIn('files/other.txt was not written', self.golden().stdout)

    def test_rewrite_makes_it_pass(self):
        self.write('golden/write/file/cmd', 'write $TMP/out.txt\n')
        self.write('golden/write/file/stdout', 'old\n')
        self.write('golden/write/file/files/old.txt', 'old\n')
        self.write('golden/error/usage/cmd', 'nothing\n')
        self.assertEqual(self.golden().returncode, 1)
        self.assertEqual(self.golden('--rewrite').returncode, 0)
        self.assertEqual(self.golden().stdout, '2 passed, 0 failed\n')
        self.assertFalse((self.folder / 'golden/write/file/stdout').exists())
        self.assertEqual((self.folder / 'golden/error/usage/exit').read_text(encoding='utf-8'), '2\n')

    def test_no_cases_is_a_failure(self):
        self.assertNotEqual(self.golden().returncode, 0)


class CompileFail(InFolder):
    def check(self, text):
        file = self.write('mistakes.cpp', text)
        done = run(sys.executable, ROOT / 'tests/compile-fail/run.py', file)
        return done.returncode, done.stdout

    def test_a_mistake_that_does_not_compile_passes(self):
        status, said = self.check('int x = 1;\n#if HTA_MISTAKE == 1  // error: conversion\nint y = "text";\n#endif\n')
        self.assertEqual((status, said.splitlines()[-1]), (0, '2 passed, 0 failed'), said)

    def test_a_mistake_that_compiles_fails(self):
        status, said = self.check('#if HTA_MISTAKE == 1\nint y = 1;\n#endif\n')
        self.assertEqual((status, said.splitlines()), (1, ['ok   mistakes.cpp', 'FAIL mistakes.cpp mistake 1: compiles', '1 passed, 1 failed']))

    def test_the_wrong_message_fails(self):
        status, said = self.check('#if HTA_MISTAKE == 1  // error: no such words\nint y = "text";\n#endif\n')
        self.assertEqual(status, 1, said)

    def test_what_does_not_compile_without_a_mistake_fails(self):
        status, said = self.check('#include "nowhere.h"\n#if HTA_MISTAKE == 1\nint y = "text";\n#endif\n')
        self.assertEqual((status, said.splitlines()[-1]), (1, '0 passed, 1 failed'))


class Counts(unittest.TestCase):
    def test_closing_lines(self):
        for text, expected in [
            ('ok\n12 passed, 3 failed\n', (12, 3)),
            ('All tests passed (31 assertions in 7 test cases)\n', (7, 0)),
            ('All tests passed (1 assertion in 1 test case)\n', (1, 0)),
            ('test cases: 5 | 3 passed | 2 failed\nassertions: 9 | 7 passed | 2 failed\n', (3, 2)),
            ('test cases:  1 |  1 failed\n', (0, 1)),
            ('Ran 9 tests in 0.1s\n\nFAILED (failures=2, errors=1)\n', (6, 3)),
            ('Ran 9 tests in 0.1s\n\nOK\n', (9, 0)),
            ('nothing to count\n', (0, 0)),
        ]:
            self.assertEqual(run_stages.counts_in(text), expected, text)


class Docs(unittest.TestCase):
    def test_commands_and_options_of_help(self):
        text = textwrap.dedent('''
            Usage: hta COMMAND [options] PATH...

            Where time goes:
              breakdown       where does GPU time go?
              critical-path   which chain of events bounds the step?

            Options:
              -n,--top N      rows of a group
                  --color WHEN  when
              --strict        damaged input is an error

            Exit status:
              0               done
            ''')
        self.assertEqual(check_docs.commands_in(text), ['breakdown', 'critical-path'])
        self.assertEqual(check_docs.options_in(text), ['-n', '--top', '--color', '--strict'])

    def test_tables_of_help(self):
        text = ('temporal (default)  rank, device, [step,] span_us\nkernel_types        kernel_type, sum_us,\n'
                '                    pct\n')
        self.assertEqual(check_docs.tables_in(text), {'temporal': ['rank', 'device', 'step', 'span_us'],
                                                      'kernel_types': ['kernel_type', 'sum_us', 'pct']})

    def test_whole_words_are_looked_for(self):
        self.assertTrue(check_docs.names('use --top N', '--top'))
        self.assertFalse(check_docs.names('use --top-level', '--top'))
        self.assertFalse(check_docs.names('column span_us_total', 'span_us'))

    def test_shown_output(self):
        block = '$ hta a\nx\n$ hta b \\\n  c\n...\nz\n'
        self.assertEqual(check_docs.commands_shown(block), [('hta a', ['x']), ('hta b \\\n  c', ['...', 'z'])])
        self.assertTrue(check_docs.matches(['...', 'z'], ['x', 'y', 'z']))
        self.assertTrue(check_docs.matches(['x  ', '…'], ['x']))
        self.assertFalse(check_docs.matches(['...', 'z'], ['x', 'y']))

    def test_sections_and_anchors(self):
        text = '# Title\n## `hta idle`\na\n### idle\nb\n## Next, please!\nc\n'
        self.assertEqual(check_docs.sections(text)['hta idle'], '## `hta idle`\na\n### idle\nb\n')
        self.assertEqual(check_docs.anchors_of(text), {'title', 'hta-idle', 'idle', 'next-please'})


if __name__ == '__main__':
    unittest.main()
