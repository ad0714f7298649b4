#!/usr/bin/env python3
"""Writes small ranks for the cases of this folder: steps of 200 us with a kernel of 60 us and an all-reduce of 20 us.

    write_ranks.py DIR --ranks 8 --steps 6 [--late RANK:STEP:US,...] [--ahead RANK:US,...] [--ragged US]

--late lengthens the kernel, so that the others wait; --ahead puts a clock ahead; --ragged lets ends differ by up to that.
"""

import argparse
import json
import pathlib
import random

STEP_US = 200


def items(text):
    return [tuple(int(part) for part in item.split(":")) for item in text.split(",")] if text else []


def events(rank, options, late, ahead):
    at = ahead.get(rank, 0)
    for step in range(options.steps):
        own = late.get((rank, step), 0)
        latest = max(late.get((other, step), 0) for other in range(options.ranks))
        ragged = random.Random(1000 * rank + step).randint(-options.ragged, options.ragged)
        start, done, end = at + 10, at + 70 + own, at + 90 + latest + ragged
        yield {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 1, "tid": 1, "ts": at, "dur": STEP_US}
        yield {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": at + 5, "dur": 3,
               "args": {"correlation": 2 * step + 1}}
        yield {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": start, "dur": done - start,
               "args": {"device": 0, "stream": 7, "correlation": 2 * step + 1}}
        yield {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "pid": 0, "tid": 20, "ts": done,
               "dur": end - done, "args": {"device": 0, "stream": 20, "correlation": 2 * step + 2, "Collective name": "allreduce",
                                           "dtype": "Float", "In msg nelems": 25000, "Out msg nelems": 25000,
                                           "Group size": options.ranks, "Process Group Description": "dp",
                                           "Process Group Ranks": str(list(range(options.ranks))), "Seq": step + 1}}
        at += STEP_US


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--late", default="")
    parser.add_argument("--ahead", default="")
    parser.add_argument("--ragged", type=int, default=0)
    options = parser.parse_args()
    late = {(rank, step): us for rank, step, us in items(options.late)}
    ahead = dict(items(options.ahead))
    for rank in range(options.ranks):
        trace = {"distributedInfo": {"rank": rank, "world_size": options.ranks}, "traceEvents": list(events(rank, options, late, ahead))}
        (options.folder / f"rank{rank}.json").write_text(json.dumps(trace))


if __name__ == "__main__":
    main()
