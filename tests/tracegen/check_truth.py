#!/usr/bin/env python3
"""Checks what the trace generator writes: that it is what it says, and that the answers follow from the traces.

Reads a folder with rank-<r>.json[.gz], truth.json and manifest.json, written without events left out and without
hostile text. Everything in truth.json that a trace shows is counted again here, by other means.
"""
import argparse
import collections
import glob
import gzip
import json
import os
import re
import sys

failures = []


def expect(holds, what, *details):
    if not holds:
        failures.append(" ".join([what] + [str(d) for d in details]))


def read_bytes(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        return file.read()


def ns(us):
    """Microseconds as parsed with three decimals -> whole nanoseconds."""
    whole, _, part = us.partition(".")
    sign = -1 if whole.startswith("-") else 1
    return int(whole) * 1000 + sign * int((part + "000")[:3])


def union(intervals):
    merged = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return merged


def length_within(merged, start, end):
    return sum(max(0, min(b, end) - max(a, start)) for a, b in merged)


def intersect(one, two):
    found, j = [], 0
    for a, b in one:
        while j < len(two) and two[j][1] <= a:
            j += 1
        k = j
        while k < len(two) and two[k][0] < b:
            found.append([max(a, two[k][0]), min(b, two[k][1])])
            k += 1
    return found


class Rank:
    def __init__(self, path, exact):
        raw = read_bytes(path)
        self.path = path
        self.raw_size = len(raw)
        self.document = json.loads(raw, parse_float=(lambda text: ns(text)) if exact else float)
        self.events = self.document["traceEvents"]
        self.by_category = collections.defaultdict(list)
        for event in self.events:
            if event["ph"] == "X":
                self.by_category[event["cat"]].append(event)


def check_structure(rank):
    complete = [e for e in rank.events if e["ph"] == "X" and e["cat"] != "Trace"]
    # Spans of one thread nest, and events of one stream follow each other.
    threads = collections.defaultdict(list)
    streams = collections.defaultdict(list)
    for e in complete:
        if e["cat"] in ("kernel", "gpu_memcpy"):
            streams[e["pid"], e["tid"]].append((e["ts"], e["ts"] + e["dur"], e["name"]))
        elif e["cat"] in ("cpu_op", "user_annotation", "cuda_runtime", "python_function"):
            threads[e["pid"], e["tid"]].append((e["ts"], -e["ts"] - e["dur"], e["name"]))
    for where, events in streams.items():
        events.sort()
        for (_, end, name), (start, _, _) in zip(events, events[1:]):
            expect(end <= start, "overlap on stream", rank.path, where, name)
    for where, events in threads.items():
        events.sort()
        open_ends = []
        for start, negative_end, name in events:
            while open_ends and open_ends[-1] <= start:
                open_ends.pop()
            expect(not open_ends or -negative_end <= open_ends[-1], "outlives its parent", rank.path, where, name)
            open_ends.append(-negative_end)
    calls = {e["args"]["correlation"]: e for e in rank.by_category["cuda_runtime"]}
    expect(len(calls) == len(rank.by_category["cuda_runtime"]), "correlations repeat", rank.path)
    gpu = rank.by_category["kernel"] + rank.by_category["gpu_memcpy"]
    for e in gpu:
        call = calls.get(e["args"]["correlation"])
        expect(call is not None and call["ts"] <= e["ts"], "starts before its launch", rank.path, e["name"])
    ids = [e["args"]["External id"] for e in rank.by_category["cpu_op"] + rank.by_category["user_annotation"]]
    expect(len(set(ids)) == len(ids) and set(ids) == set(range(1, len(ids) + 1)), "external ids", rank.path)
    flows = collections.Counter((e["cat"], e["ph"], e["id"]) for e in rank.events if e["ph"] in "sf")
    if flows:
        starts = {(cat, i) for cat, ph, i in flows if ph == "s"}
        ends = {(cat, i) for cat, ph, i in flows if ph == "f"}
        expect(starts == ends, "flows without a partner", rank.path)
    for e in rank.by_category["kernel"]:
        expect(40 <= len(e["name"]) <= 350, "kernel name of odd length", len(e["name"]), e["name"][:60])


def check_counts(rank, truth):
    counts = collections.defaultdict(dict)
    for e in rank.events:
        category = e.get("cat", "")
        counts[category][e["ph"]] = counts[category].get(e["ph"], 0) + 1
    expect(dict(counts) == truth["counts"], "counts differ", rank.path, dict(counts), truth["counts"])


def check_times(rank, truth):
    zero = truth["ts_of_zero_ns"]
    kind_of = {"kernel": "compute", "gpu_memcpy": "copy"}
    intervals = collections.defaultdict(list)
    stats = collections.defaultdict(list)
    copied = collections.Counter()
    for e in rank.by_category["kernel"] + rank.by_category["gpu_memcpy"]:
        kind = "collective" if e["name"].startswith("nccl") else kind_of[e["cat"]]
        intervals[kind].append((e["ts"] - zero, e["ts"] + e["dur"] - zero))
        if e["cat"] == "kernel":
            stats[e["name"]].append(e["dur"])
        else:
            copied[e["name"].split()[1]] += e["args"]["bytes"]
    kernels = {n: {"name": n, "count": len(d), "sum_ns": sum(d), "min_ns": min(d), "max_ns": max(d)} for n, d in stats.items()}
    expect(kernels == {k["name"]: k for k in truth["kernels"]}, "kernel statistics differ", rank.path)
    expect(all(copied[k] == v for k, v in truth["memcpy_bytes"].items()), "copied bytes differ", rank.path)
    merged = {kind: union(times) for kind, times in intervals.items()}
    busy = union(sum(intervals.values(), []))
    overlap = intersect(merged.get("compute", []), merged.get("collective", []))
    windows = {int(e["name"].split("#")[1]): e for e in rank.by_category["user_annotation"] if e["name"].startswith("ProfilerStep#")}
    expect(sorted(windows) == [s["step"] for s in truth["steps"]], "steps differ", rank.path)
    for step in truth["steps"]:
        window = windows[step["step"]]
        start, end = window["ts"] - zero, window["ts"] + window["dur"] - zero
        expect((start, end) == (step["start_ns"], step["end_ns"]), "step window differs", rank.path, step["step"])
        measured = {
            "busy_ns": length_within(busy, start, end),
            "compute_ns": length_within(merged.get("compute", []), start, end),
            "collective_ns": length_within(merged.get("collective", []), start, end),
            "copy_ns": length_within(merged.get("copy", []), start, end),
            "overlap_ns": length_within(overlap, start, end),
        }
        measured["idle_ns"] = end - start - measured["busy_ns"]
        for key, value in measured.items():
            expect(step[key] == value, "step differs in", key, rank.path, step["step"], step[key], value)
        for key in ("critical_path", "critical_path_of_rank"):
            expect(sum(p[2] for p in step[key]) == end - start, key, "does not fill the step", rank.path, step["step"])


def check_idle(rank, truth):
    calls = {e["args"]["correlation"]: e for e in rank.by_category["cuda_runtime"]}
    gpu = sorted(rank.by_category["kernel"] + rank.by_category["gpu_memcpy"], key=lambda e: e["ts"])

    def idle_of(events):
        host = other = 0
        free = None
        for e in events:
            if free is not None and e["ts"] > free:
                if calls[e["args"]["correlation"]]["ts"] > free:
                    host += e["ts"] - free
                else:
                    other += e["ts"] - free
            free = max(free or 0, e["ts"] + e["dur"])
        return host, other

    groups = {"device": gpu}
    for e in gpu:
        groups.setdefault(f"stream {e['tid']}", []).append(e)
    for name, events in groups.items():
        idle = truth["idle"][name]
        host, other = idle_of(events)
        expect(host == idle["host_wait_ns"], "host wait differs", rank.path, name)
        expect(other == idle["dep_wait_ns"] + idle["launch_latency_ns"], "other idle differs", rank.path, name)


def check_pairs(rank, truth):
    spans = {e["args"]["External id"]: e for e in rank.by_category["cpu_op"]}
    for forward, backward in truth["fwd_bwd"]:
        one, two = spans[forward]["args"], spans[backward]["args"]
        expect(one["Sequence number"] == two["Sequence number"], "a pair differs in sequence", rank.path, forward)
    by_sequence = collections.Counter(
        e["args"]["Sequence number"] for e in rank.by_category["cpu_op"]
        if "Sequence number" in e["args"] and e["args"]["Fwd thread id"] == 0)
    expect(len(by_sequence) == len(truth["fwd_bwd"]), "pairs are missing", rank.path)


def check_memory(rank, truth):
    changes = [e for e in rank.events if e.get("name") == "[memory]"]
    if not changes:
        return
    total = peak = 1 << 30
    for e in sorted(changes, key=lambda e: e["ts"]):
        total += e["args"]["Bytes"]
        peak = max(peak, total)
        expect(e["args"]["Total Allocated"] == total, "total allocated", rank.path, e["ts"])
        expect(e["args"]["Total Reserved"] == peak, "total reserved", rank.path, e["ts"])
    expect(total == 1 << 30 and peak == truth["peak_allocated_bytes"], "peak memory", rank.path)


def check_tables(rank, truth, path):
    tables = json.load(open(path))
    zero = truth["ts_of_zero_ns"]
    calls = {e["args"]["correlation"]: e for e in rank.by_category["cuda_runtime"]}
    gpu = rank.by_category["kernel"] + rank.by_category["gpu_memcpy"]
    rows = []
    changes = collections.defaultdict(list)
    for e in gpu:
        call = calls[e["args"]["correlation"]]
        rows.append([e["args"]["correlation"], call["ts"] - zero, call["dur"], e["ts"] - zero, e["dur"],
                     e["ts"] - call["ts"] - call["dur"]])
        changes[str(e["tid"])] += [(call["ts"] - zero, 0, 1), (e["ts"] - zero, 1, -1)]
    expect(sorted(rows) == sorted(tables["launches"]), "launch table differs", rank.path)
    for stream, list_of_changes in changes.items():
        value, points = 0, []
        for at, _, change in sorted(list_of_changes):
            value += change
            points.append([at, value])
        expect(points == tables["queue_length"][stream], "queue length differs", rank.path, stream)


def check_collectives(ranks, truth, jitter):
    seen = collections.defaultdict(dict)
    for index, rank in enumerate(ranks):
        zero = truth["ranks"][index]["ts_of_zero_ns"]
        for e in rank.by_category["kernel"]:
            if "Collective name" in e["args"]:
                key = e["args"]["Process Group Name"], e["args"]["Seq"]
                seen[key][index] = (e["ts"] - zero, e["ts"] + e["dur"] - zero)
    groups = truth["groups"]
    caused = collections.Counter()
    for c in truth["collectives"]:
        group = groups[c["group"]]
        times = seen.pop((group["name"], c["seq"]))
        starts = [times[r][0] for r in group["ranks"]]
        expect(starts == c["start_ns"], "starts differ", group["name"], c["seq"])
        last = max(starts)
        expect(c["end_ns"] == last + c["transfer_ns"], "end is not last start plus transfer", group["name"], c["seq"])
        expect(c["wait_ns"] == [last - s for s in starts], "waits differ", group["name"], c["seq"])
        caused[c["last_rank"]] += sum(c["wait_ns"])
        for r in group["ranks"]:
            expect(0 <= times[r][1] - c["end_ns"] <= jitter, "ends differ", group["name"], c["seq"], r)
    expect(not seen, "collectives that the truth does not know", list(seen)[:3])
    for straggler in truth["stragglers"]:
        expect(caused[straggler["rank"]] == straggler["wait_caused_ns"], "wait caused differs", straggler["rank"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--bytes-per-event", default="180:600", help="allowed range")
    parser.add_argument("--gzip-ratio", default="10:25", help="allowed range, where files are compressed")
    arguments = parser.parse_args()

    manifest = json.load(open(os.path.join(arguments.folder, "manifest.json")))
    truth = json.load(open(os.path.join(arguments.folder, "truth.json")))
    parameters = manifest["parameters"]
    # With drift the written durations are not the true ones; with old styles they are cut to microseconds.
    exact = parameters["clock-drift-ppm"] == "0" and parameters["ts"] == "ns"
    files = glob.glob(os.path.join(arguments.folder, "rank-*.json*"))
    files.sort(key=lambda path: int(re.search(r"rank-(\d+)\.", path).group(1)))
    expect(len(files) == int(parameters["ranks"]), "number of files", len(files))
    ranks = []
    raw = packed = events = 0
    for path, answers, listed in zip(files, truth["ranks"], manifest["files"]):
        rank = Rank(path, exact)
        ranks.append(rank)
        expect(rank.raw_size == listed["raw_bytes"], "raw bytes", path)
        expect(len(rank.events) == listed["event_count"], "event count", path)
        raw, packed, events = raw + rank.raw_size, packed + os.path.getsize(path), events + len(rank.events)
        check_counts(rank, answers)
        if exact:
            check_structure(rank)
            check_times(rank, answers)
            check_idle(rank, answers)
            check_pairs(rank, answers)
            check_memory(rank, answers)
            tables = os.path.join(arguments.folder, f"truth-rank-{answers['rank']}.json")
            if os.path.exists(tables):
                check_tables(rank, answers, tables)
    if exact:
        check_collectives(ranks, truth, int(parameters["comm-jitter"]))

    low, high = map(float, arguments.bytes_per_event.split(":"))
    expect(low <= raw / events <= high, "bytes per event", raw / events)
    if parameters["gzip"] != "0":
        low, high = map(float, arguments.gzip_ratio.split(":"))
        expect(low <= raw / packed <= high, "gzip ratio", raw / packed)
    for failure in failures[:20]:
        print("FAIL", failure)
    print(f"{len(files)} ranks, {events} events, {raw / events:.0f} bytes each, ratio {raw / packed:.1f}: "
          f"{len(failures)} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
