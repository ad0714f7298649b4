#!/usr/bin/env python3
"""Checks that certain mistakes do not compile.

A file tests/compile-fail/<topic>.cpp holds correct code and, each behind its own number, one mistake at a time:

    hta::StringId name{1};
    #if HTA_MISTAKE == 1  // error: conversion
    hta::ThreadId thread = name;
    #endif

The file must compile without a mistake (so that a misspelt name or a missing header is not taken for one), and must not
compile with any of them. The text after `error:` must occur, in any case, in what the compiler says; it is optional.
"""
import argparse
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

MISTAKE = re.compile(r'^\s*#\s*(?:el)?if\s+HTA_MISTAKE\s*==\s*(\d+)\s*(?://\s*error:\s*(.*\S))?\s*$', re.MULTILINE)


def compiles(options, source, mistake):
    command = [options.compiler, '-std=c++20', '-fsyntax-only', '-w', f'-DHTA_MISTAKE={mistake}']
    command += [f'-I{folder}' for folder in options.include] + [str(source)]
    run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors='replace', check=False)
    return run.returncode == 0, run.stderr


def check(options, source):
    """-> list of (what was checked, what is wrong or None)"""
    mistakes = MISTAKE.findall(source.read_text(encoding='utf-8'))
    numbers = [number for number, _ in mistakes]
    if not mistakes:
        return [(source.name, 'no `#if HTA_MISTAKE == 1` in it')]
    if len(set(numbers)) != len(numbers) or '0' in numbers:
        return [(source.name, f'mistakes must have numbers of their own, from 1: {", ".join(numbers)}')]
    good, said = compiles(options, source, 0)
    if not good:
        return [(source.name, f'does not compile without a mistake:\n{said}')]
    results = [(source.name, None)]
    for number, expected in mistakes:
        good, said = compiles(options, source, number)
        wrong = None
        if good:
            wrong = 'compiles'
        elif expected and expected.lower() not in said.lower():
            wrong = f'the compiler does not say "{expected}":\n{said}'
        results.append((f'{source.name} mistake {number}', wrong))
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--compiler', default='g++')
    parser.add_argument('--include', action='append', default=[], help='folder of headers; may be repeated')
    parser.add_argument('files', nargs='*', type=pathlib.Path, help='default: all beside this program')
    options = parser.parse_args()
    files = options.files or sorted(pathlib.Path(__file__).parent.glob('*.cpp'))
    with ThreadPoolExecutor(2) as pool:
        results = [result for results in pool.map(lambda file: check(options, file), files) for result in results]
    for what, wrong in results:
        print(f'FAIL {what}: {wrong}' if wrong else f'ok   {what}')
    failed = sum(1 for _, wrong in results if wrong)
    print(f'{len(results) - failed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
