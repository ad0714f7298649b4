#!/usr/bin/env python3
"""Plants every fault that the trace generator knows, and looks whether `hta summary` names it as the main finding.

    fault_matrix.py --hta build/release/hta --tracegen build/release/tests/tracegen/hta-tracegen [--seeds 3] [--table]

Each row is one fault in a run that is healthy without it, which is looked at as well: there nothing may be found. A seed makes
a run of its own and decides on which rank, in which step or group the fault is. --table prints how many were right as Markdown;
exit status 1 if any was wrong, or if the generator has a fault that no row plants.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

RANKS, STEPS = 8, 6
FIRST_SEED = 1
# Shorter kernels, so that the host matters; it still keeps ahead of the GPU.
FAST_GPU = '--k-ns 40000 --ar-ns-per-mb 600'
BUSY_HOST = '--k-ns 60000 --ew-ns 20000 --op-ns 25000 --ar-ns-per-mb 600'


def in_every_step(flag, value, ranks='{r}'):
    """The flag for one rank, or for all of them."""
    numbers = range(RANKS) if ranks == 'all' else [ranks]
    return f'{flag} ' + ','.join(f'{rank}:{step}:{value}'.removesuffix(':') for rank in numbers for step in range(STEPS))


@dataclass
class Row:
    """{r}, {s} and {g} in texts are the rank, the step and the group that the seed chooses."""
    what: str
    fault: str
    finding: str = ''  # id of the main finding; empty: there is none
    bottleneck: str = 'none'  # empty: not asked for
    rank: bool = False  # whether the finding names the planted rank
    says: str = ''  # part of the title
    base: str = ''  # what the healthy run needs so that the fault matters
    notes: str = ''  # code of a note that tells of the fault
    may: tuple = ()  # where no finding is wanted: those that would be right all the same


HOSTILE = dict(may=('lost-collectives', 'damaged-events'))  # events that cannot be used may be collectives
TABLE = [
    Row('healthy', ''),
    Row('healthy, tensor parallel', '--tp 2'),
    Row('healthy, sharded optimizer', '--zero 1'),
    Row('healthy, micro-batches', '--micro 2'),
    Row('healthy, CUDA graphs', '--cuda-graphs'),
    Row('healthy, Python frames', '--python-stack 6'),
    Row('healthy, memory events', '--memory'),
    Row('GPU slower by 30 %', '--slow-rank {r}:130', 'straggler', 'straggler', True, 'rank {r} (slower kernels (x1.30))'),
    Row('GPU slower by 8 %', '--slow-rank {r}:108', 'straggler', 'straggler', True, 'rank {r} (slower kernels (x1.08))'),
    Row('a third more work on a rank', '--extra-work {r}:33', 'straggler', 'straggler', True, 'rank {r} (more work)'),
    Row('copies of a rank ten times as slow', '--slow-copy {r}:1000', 'straggler', 'straggler', True, 'rank {r} (memory copies)',
        base='--copy-bytes 1500000'),
    Row('slow links everywhere', '--slow-link 0:2000', 'exposed-communication', 'communication', says='all_reduce'),
    Row('slow links of a group', '--slow-link {g}:2500', 'slow-link', 'communication', says='all_reduce in mesh_dp {g}-', base='--tp 2'),
    Row('loader stalls in one step', '--stall {r}:{s}:20000000', 'outlier-steps', rank=True, says='step {s} on rank {r},'),
    Row('loader stalls on one rank', in_every_step('--stall', 20000000), 'straggler', 'straggler', True,
        'rank {r} (late launches (data loading))'),
    Row('loader stalls on all ranks', in_every_step('--stall', 20000000, 'all'), 'input-stall', 'host', says='DataLoader'),
    Row('GPU three times as slow in one step', '--slow-step {r}:{s}:300', 'outlier-steps', '', True, 'step {s} on rank {r},'),
    Row('slow host in one step', '--launch-delay {r}:{s}:4000', 'outlier-steps', '', True, 'step {s} on rank {r},'),
    Row('slow host on one rank', in_every_step('--launch-delay', 600), 'straggler', 'straggler', True,
        'rank {r} (late launches (operator dispatch))', base=FAST_GPU),
    Row('slow hosts', in_every_step('--launch-delay', 600, 'all'), 'host-bound', 'host', says='operator dispatch', base=FAST_GPU),
    Row('synchronisation on all ranks', '--sync-every all:1', 'sync-calls', says='cudaStreamSynchronize', base=BUSY_HOST),
    Row('synchronisation on one rank', '--sync-every {r}:1', 'straggler', 'straggler', True, 'rank {r} (late launches', base=BUSY_HOST),
    Row('allocations in one step', '--alloc 0:{t}', 'allocator', says='cudaMalloc', base='--ranks 1 --steps 3'),
    Row('allocations in every step', in_every_step('--alloc', '', 'all'), 'allocator', says='cudaMalloc'),
    Row('pageable copies', '--pageable', 'pageable-copies', says='Memcpy HtoD (Pageable -> Device)', base='--copy-bytes 1000000'),
    Row('text of a rank cut off', '--truncate {r}:1500000', 'truncated-file', notes='truncated'),
    Row('file of a rank cut off', '--truncate-file {r}:150000', 'truncated-file', notes='gzip-truncated'),
    Row('10 % of the launch calls lost', '--drop launches:10', 'not-linked', says='have no recorded launch call'),
    Row('10 % of the correlations lost', '--drop corr:10', 'not-linked', says='have no recorded launch call'),
    Row('20 % of the kernels lost', '--drop kernels:20', 'lost-kernels', notes='step-incomplete',
        says='of the calls that launch GPU work have no GPU event', bottleneck=''),
    Row('5 % of the collectives lost', '--lost-collectives 5', 'lost-collectives'),
    Row('clocks 0.5 ms apart', '--clock-skew-ns 500000', notes='clock-offset'),
    Row('clocks drift by 20 ppm', '--clock-drift-ppm 20'),
    Row('ends of collectives jitter by 5 µs', '--comm-jitter 5000'),
    Row('collectives without arguments', '--no-collective-args'),
    Row('lists of ranks cut short', '--pg-ranks cut'),
    Row('collectives with ids', '--comms-id'),
    Row('text: exponents in times', '--hostile exp-ts'),
    Row('text: times as text', '--hostile string-ts'),
    Row('text: no durations', '--hostile missing-dur', notes='events', **HOSTILE),
    Row('text: negative durations', '--hostile negative-dur', notes='events', **HOSTILE),
    Row('text: process numbers as text', '--hostile string-pid'),
    Row('text: no arguments', '--hostile missing-args', **HOSTILE),
    Row('text: deep arguments', '--hostile deep-arg'),
    Row('text: huge arguments', '--hostile huge-arg'),
    Row('text: NUL', '--hostile nul'),
    Row('text: lone surrogates', '--hostile surrogate'),
    Row('text: a bare array', '--hostile bare-array', notes='rank-from-name'),
    Row('text: NaN', '--hostile nan'),
    Row('text: comma before the end', '--hostile trailing-comma', notes='trailing-comma'),
    # Costs that are no faults of one part, but bound the run all the same.
    Row('slow fabric', '--ar-ns-per-mb 60000', 'exposed-communication', 'communication', says='all_reduce'),
    Row('one bucket for all gradients', '--bucket-layers 12', 'exposed-communication', 'communication', base='--ar-ns-per-mb 6000'),
    Row('slow loader', '--loader-ns 40000000', 'input-stall', 'host', says='DataLoader'),
    Row('large inputs', '--copy-bytes 30000000', 'exposed-copies', 'memory', says='Memcpy HtoD (Pinned -> Device)'),
    Row('kernels of 2 to 4 µs', '--k-ns 4000 --ew-ns 2000', 'host-bound', 'host', base='--ranks 1'),
]


def generate(options, folder, seed, flags):
    subprocess.run([options.tracegen, '--out', folder, '--preset', 'healthy', '--seed', str(seed), '--gzip', '1', '--truth', 'none',
                    *flags.split()], check=True, stdout=subprocess.DEVNULL)
    (folder / 'manifest.json').unlink()


def summary_of(options, folder):
    done = subprocess.run([options.hta, 'summary', folder, '-f', 'json'], capture_output=True, text=True, check=False)
    return json.loads(done.stdout), done.stderr


def grave(document):
    return [finding for finding in document['findings'] if finding['severity'] != 'info']


def warned(document):
    return [note['code'] for note in document['notes'] if note['severity'] != 'info']


def healthy_problem(document):
    """-> what is wrong with the verdict on a run without a fault, or None"""
    if grave(document) or warned(document) or document['summary']['bottleneck'] != 'none':
        return (f'healthy run: bottleneck {document["summary"]["bottleneck"]}, findings {[f["id"] for f in grave(document)]}, '
                f'notes {warned(document)}')
    return None


def problem_of(row, document, errors, chosen):
    """-> what is wrong with the verdict, or None"""
    text = row.says.format(**chosen)
    found, bottleneck = grave(document), document['summary']['bottleneck']
    codes = [note['code'] for note in document['notes']]
    if errors:
        return f'standard error: {errors.strip()}'
    if row.bottleneck and bottleneck != row.bottleneck:
        return f'bottleneck {bottleneck}'
    if row.notes and row.notes not in codes:
        return f'no note {row.notes}'
    if not row.finding:
        if not row.may and not row.notes:
            return healthy_problem(document)
        wrong = [finding['id'] for finding in found if finding['id'] not in row.may]
        return f'findings {wrong}' if wrong else None
    if not found or found[0]['id'] != row.finding:
        return f'main finding is {found[0]["id"] + ": " + found[0]["title"] if found else "missing"}'
    if document['summary']['main_finding'] != found[0]['title'] + '.':
        return f'the sentence is another: {document["summary"]["main_finding"]}'
    if text not in found[0]['title']:
        return f'"{text}" is not said: {found[0]["title"]}'
    if row.rank and found[0]['evidence'].get('rank') != chosen['r']:
        return f'rank {found[0]["evidence"].get("rank")} instead of {chosen["r"]}'
    return None


def try_row(options, row, seed):
    """-> problems, as text"""
    chosen = {'r': seed * 3 % RANKS, 's': 1 + seed % (STEPS - 1), 't': 1 + seed % 2, 'g': seed % 2}
    problems = []
    with tempfile.TemporaryDirectory(prefix='hta-faults-') as scratch:
        folder = pathlib.Path(scratch) / 'fault'
        generate(options, folder, seed, f'{row.base} {row.fault.format(**chosen)}')
        document, errors = summary_of(options, folder)
        problems.append(problem_of(row, document, errors, chosen))
        if row.base:
            control = pathlib.Path(scratch) / 'control'
            generate(options, control, seed, row.base)
            problems.append(healthy_problem(summary_of(options, control)[0]))
    return [problem for problem in problems if problem]


def unplanted(options):
    """-> faults that the generator has and no row plants"""
    text = subprocess.run([options.tracegen, '--help'], capture_output=True, text=True, check=True).stdout
    faults = text[text.index('\nFaults'):text.index('\nText')]
    flags = re.findall(r'^  (--[a-z-]+)', faults, re.M)
    kinds = re.search(r'--hostile TEXT +(.*?);', faults).group(1).split(', ')
    planted = {word for row in TABLE for word in row.fault.replace('--no-', '--').split()}
    return [name for name in flags + kinds if name not in planted]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--hta', required=True, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument('--tracegen', required=True, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument('--seeds', type=int, default=3, metavar='N')
    parser.add_argument('--first-seed', type=int, default=FIRST_SEED, metavar='N')
    parser.add_argument('--only', default='', metavar='TEXT', help='rows whose name holds the text')
    parser.add_argument('--table', action='store_true', help='print the results as Markdown')
    parser.add_argument('-j', type=int, default=2, metavar='N', help='runs at a time (default 2)')
    options = parser.parse_args()
    rows = [row for row in TABLE if options.only in row.what]
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    failed = len(missing := unplanted(options))
    for name in missing:
        print(f'FAIL nothing plants {name}')
    if options.table:
        print('| planted | main finding | runs | right |\n|---|---|---:|---:|')
    with ThreadPoolExecutor(max(1, options.j)) as pool:
        results = {row.what: [pool.submit(try_row, options, row, seed) for seed in seeds] for row in rows}
        for row in rows:
            right = 0
            for seed, result in zip(seeds, results[row.what]):
                problems = result.result()
                right += not problems
                for problem in problems:
                    print(f'FAIL {row.what}, seed {seed}: {problem}', file=sys.stderr if options.table else sys.stdout)
            failed += len(seeds) - right
            if options.table:
                print(f'| {row.what} | {row.finding or "–"} | {len(seeds)} | {right} |', flush=True)
    if not options.table:
        print(f'{len(rows) * len(seeds)} runs, {failed} wrong')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
