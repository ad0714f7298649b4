#!/usr/bin/env python3
"""Writes traces with counter tracks and looks at them as viewers, parsers and hta itself would.

    check_augment.py --hta build/release/hta

One line for each fault; the last line is `N passed, N failed`, and the exit status 1 if something failed.
"""
import argparse
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEMO = ROOT / 'testdata' / 'demo'
READ_BACK = ('breakdown', 'counters', 'steps', 'idle')


class Checks:
    def __init__(self, hta):
        self.hta, self.passed, self.failed = hta, 0, 0

    def check(self, what, right):
        self.passed += right
        self.failed += not right
        if not right:
            print(f'FAIL {what}')

    def run(self, *arguments, cwd=None):
        return subprocess.run([self.hta, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              cwd=cwd, check=False)


def text_of(path):
    raw = path.read_bytes()
    return (gzip.decompress(raw) if raw[:2] == b'\x1f\x8b' else raw).decode('utf-8')


def strict(text):
    def refuse(constant):
        raise ValueError(f'{constant} is no JSON')
    return json.loads(text, parse_constant=refuse)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def check_tracks(checks, what, tracks):
    checks.check(f'{what}: there are tracks', bool(tracks))
    checks.check(f'{what}: tracks have the form of counter events', all(
        event['ph'] == 'C' and isinstance(event['name'], str) and is_number(event['ts']) and is_number(event['pid'])
        and event['args'] and all(is_number(value) for value in event['args'].values()) for event in tracks))
    by_name = {}
    for event in tracks:
        by_name.setdefault((event['pid'], event['name']), []).append(event)
    checks.check(f'{what}: both kinds of tracks are there',
                 any(name.startswith('Queue length') for _, name in by_name) and any('GB/s' in track[0]['args'] for track in by_name.values()))
    for name, track in by_name.items():
        times = [event['ts'] for event in track]
        checks.check(f'{what}: {name} is in order of time', times == sorted(times))
        checks.check(f'{what}: {name} is never negative and ends at zero',
                     all(value >= 0 for event in track for value in event['args'].values())
                     and all(value == 0 for value in track[-1]['args'].values()))


def check_copy(checks, what, source, target):
    before, after = text_of(source), text_of(target)
    document, original = strict(after), strict(before)
    count = len(original['traceEvents'])
    checks.check(f'{what}: all events in their order, with every field', document['traceEvents'][:count] == original['traceEvents'])
    checks.check(f'{what}: all other members', {k: v for k, v in document.items() if k != 'traceEvents'} ==
                 {k: v for k, v in original.items() if k != 'traceEvents'})
    first = after.index('{"ph":"C"')
    checks.check(f'{what}: every byte in front of the additions', after[:first].rstrip(', \n') == before[:len(after[:first].rstrip(', \n'))])
    check_tracks(checks, what, document['traceEvents'][count:])


def check_read_back(checks, what, source, target):
    for command in READ_BACK:
        answers = []
        for path in (source, target):
            run = checks.run(command, path, '-f', 'json')
            checks.check(f'{what}: hta {command} {path} runs', run.returncode == 0)
            answers.append(json.loads(run.stdout)['tables'])
        checks.check(f'{what}: hta {command} says the same of both', answers[0] == answers[1])


def check_refusals(checks, folder):
    source = folder / 'trace.json'
    source.write_text(text_of(DEMO / 'rank-0.json.gz'), encoding='utf-8')
    before = source.read_bytes()
    (folder / 'symbolic.json').symlink_to(source)
    os.link(source, folder / 'hard.json')
    (folder / 'sub').mkdir()
    for name in ('trace.json', './trace.json', 'sub/../trace.json', 'symbolic.json', 'hard.json', str(source)):
        run = checks.run('counters', 'trace.json', '--augment', name, cwd=folder)
        checks.check(f'refused: over the input as {name}', run.returncode == 2 and 'is an input' in run.stderr)
    checks.check('refused: the input is as it was', source.read_bytes() == before)
    checks.check('refused: nothing is left behind', sorted(os.listdir(folder)) == ['hard.json', 'sub', 'symbolic.json', 'trace.json'])
    run = checks.run('counters', 'trace.json', '--augment', '/proc/nothing/out.json', cwd=folder)
    checks.check('refused: a place that cannot be written', run.returncode == 3 and run.stderr.splitlines()[-1].startswith('hta: error: /proc'))


def check_folders(checks, folder):
    ranks = folder / 'ranks'
    ranks.mkdir()
    for rank in (0, 1):
        (ranks / f'rank-{rank}.json.gz').write_bytes((DEMO / f'rank-{rank}.json.gz').read_bytes())
    run = checks.run('counters', ranks, '--augment', folder / 'out')
    checks.check('folder: written', run.returncode == 0)
    checks.check('folder: one file per rank', sorted(os.listdir(folder / 'out')) == ['rank-0.json.gz', 'rank-1.json.gz'])
    for rank in (0, 1):
        check_copy(checks, f'folder: rank {rank}', ranks / f'rank-{rank}.json.gz', folder / 'out' / f'rank-{rank}.json.gz')
    run = checks.run('counters', ranks, '--augment', ranks)
    checks.check('folder: not into the folder of the inputs', run.returncode == 2 and 'is an input' in run.stderr)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--hta', required=True)
    checks = Checks(str(pathlib.Path(parser.parse_args().hta).resolve()))
    source = DEMO / 'rank-2.json.gz'
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for target in ('out.json', 'out.json.gz'):
            run = checks.run('counters', source, '--augment', folder / target)
            checks.check(f'{target}: written, and it is said', run.returncode == 0 and f'hta: wrote {folder / target}' in run.stderr)
            checks.check(f'{target}: packed by its name', ((folder / target).read_bytes()[:2] == b'\x1f\x8b') == target.endswith('.gz'))
            check_copy(checks, target, source, folder / target)
            check_read_back(checks, target, source, folder / target)
    with tempfile.TemporaryDirectory() as name:
        check_refusals(checks, pathlib.Path(name))
    with tempfile.TemporaryDirectory() as name:
        check_folders(checks, pathlib.Path(name))
    print(f'{checks.passed} passed, {checks.failed} failed')
    sys.exit(checks.failed > 0)


if __name__ == '__main__':
    main()
