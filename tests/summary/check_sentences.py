#!/usr/bin/env python3
"""Looks whether a golden case shows every rule of `hta rules` and every bottleneck. Usage: check_sentences.py --hta HTA"""
import argparse
import pathlib
import re
import subprocess
import sys

CASES = pathlib.Path(__file__).resolve().parent.parent / 'golden' / 'summary'
BOTTLENECKS = ['compute-bound', 'memory-bound', 'communication-bound', 'CPU-bound (host)', 'straggler-bound', 'none dominates']


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--hta', required=True)
    options = parser.parse_args()
    table = subprocess.run([options.hta, 'rules'], capture_output=True, text=True, check=True).stdout
    rows = [re.split('  +', line) for line in table.splitlines()[2:]]  # behind title and heading
    rules = {cells[0]: cells[-1] for cells in rows}
    shown = '\n'.join(file.read_text(encoding='utf-8') for file in CASES.glob('*/stdout'))
    missing = [f'rule {name}' for name, text in rules.items() if text not in shown]
    missing += [f'bottleneck {kind}' for kind in BOTTLENECKS if f'Bottleneck: {kind}' not in shown]
    for what in missing:
        print(f'FAIL no golden case of summary shows {what}')
    print(f'{len(rules)} rules and {len(BOTTLENECKS)} bottlenecks, {len(missing)} not shown')
    return 1 if missing else 0


if __name__ == '__main__':
    sys.exit(main())
