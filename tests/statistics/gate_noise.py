#!/usr/bin/env python3
"""How often gates are wrong, measured on simulated runs whose truth is known.

    gate_noise.py --hta build/release/hta [--seeds 200]

Runs of ten steps; every step's times are drawn around a mean. Two alike runs with 4 % of noise: the gate step_time>5% may
fail for 2 % of the seeds. A slowdown by 5 % under 2 % of noise: step_time must be called slower for 95 % of them.
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

STEPS = 10
STEP_US = 20_000


def write_run(path, seed, factor, noise):
    """One rank: a step is a launch, a kernel of 90 % of the step, and its end."""
    rng = random.Random(seed)
    events, now = [], 1_000_000.0
    for step in range(STEPS):
        length = round(STEP_US * factor * rng.gauss(1, noise), 3)
        host = {'ph': 'X', 'pid': 100, 'tid': 100}
        events += [
            host | {'cat': 'user_annotation', 'name': f'ProfilerStep#{step}', 'ts': round(now, 3), 'dur': length},
            host | {'cat': 'cuda_runtime', 'name': 'cudaLaunchKernel', 'ts': round(now + 10, 3), 'dur': 5,
                    'args': {'correlation': step + 1}},
            {'ph': 'X', 'cat': 'kernel', 'name': 'gemm', 'pid': 0, 'tid': 7, 'ts': round(now + 20, 3), 'dur': round(length * 0.9, 3),
             'args': {'device': 0, 'stream': 7, 'correlation': step + 1}},
        ]
        now += length
    path.write_text(json.dumps({'distributedInfo': {'rank': 0}, 'traceEvents': events}), encoding='utf-8')


def compare(hta, folder, seed, factor, noise):
    """-> (the gate failed, verdict of step_time)"""
    base, test = folder / f'base{seed}.json', folder / f'test{seed}.json'
    write_run(base, 2 * seed, 1, noise)
    write_run(test, 2 * seed + 1, factor, noise)
    done = subprocess.run([hta, 'diff', base, test, '--fail-on', 'step_time>5%', '-f', 'json'], stdin=subprocess.DEVNULL,
                          capture_output=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f'gate_noise: error: seed {seed}: exit status {done.returncode}: {done.stderr.decode()}')
    metrics = json.loads(done.stdout)['tables']['metrics']
    names = [column['name'] for column in metrics['columns']]
    return done.returncode == 1, metrics['rows'][0][names.index('verdict')]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--hta', required=True)
    parser.add_argument('--seeds', type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='hta-gates-') as folder, ThreadPoolExecutor(2) as pool:
        def rounds(factor, noise):
            return list(pool.map(lambda seed: compare(options.hta, pathlib.Path(folder), seed, factor, noise), range(1, options.seeds + 1)))
        false_alarms = sum(failed for failed, _ in rounds(1, 0.04))
        seen = sum(verdict == 'slower' for _, verdict in rounds(1.05, 0.02))
    print(f'two alike runs, 4 % noise: {false_alarms} of {options.seeds} fail step_time>5% (at most 2 %)')
    print(f'5 % slower, 2 % noise: {seen} of {options.seeds} are called slower (at least 95 %)')
    return 0 if false_alarms * 50 <= options.seeds and seen * 100 >= options.seeds * 95 else 1


if __name__ == '__main__':
    sys.exit(main())
