#!/usr/bin/env python3
"""Runs the trace generator in many ways on small sets and checks what comes out. Usage: self_test.py GENERATOR"""
import filecmp
import gzip
import json
import os
import subprocess
import sys
import tempfile

GENERATOR = sys.argv[1]
CHECK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "check_truth.py")
SMALL = "--ranks 4 --steps 3 --layers 4"

# Each set is checked against its own answers.
CHECKED = {
    "tiny": "--preset tiny",
    "one rank": "--ranks 1 --steps 1 --layers 1",
    "odd sizes": "--ranks 3 --steps 3 --layers 5 --bucket-layers 2",
    "tensor parallel": f"{SMALL} --tp 2 --memory --sync-events",
    "only tensor parallel": f"{SMALL} --tp 4",
    "sharded optimizer": f"{SMALL} --zero 1",
    "micro-batches": f"{SMALL} --micro 3 --memory",
    "pipeline": f"{SMALL} --pp 4 --micro 5 --memory --sync-events",
    "all kinds of parallelism": "--ranks 8 --steps 3 --layers 4 --pp 2 --tp 2 --micro 2 --zero 1",
    "python frames": f"{SMALL} --python-stack 3",
    "short queue": f"{SMALL} --queue-depth 8",
    "launch bound": f"{SMALL} --k-ns 3000 --ew-ns 2000",
    "wild jitter": f"{SMALL} --jitter 90 --tp 2 --zero 1",
    "graphs": f"{SMALL} --cuda-graphs",
    "faults": f"{SMALL} --slow-rank 1:150 --stall 2:1:5000000 --launch-delay 0:2:500 --slow-link 0:200 "
              "--extra-work 3:50 --slow-copy 2:300 --sync-every 1:2 --alloc 0:1 --pageable",
    "clock skew": f"{SMALL} --clock-skew-ns 1000000 --base-ns 1711964646000000000 --base-step-ns 1000000007",
    "clock drift": f"{SMALL} --clock-drift-ppm 50",
    "ragged ends": f"{SMALL} --comm-jitter 5000 --comms-id",
    "bare": f"{SMALL} --no-shapes --no-flows --meta-last",
    "order of ends": f"{SMALL} --op-order end --memory --python-stack 2",
    "microseconds": f"{SMALL} --ts us",
    "old style": f"{SMALL} --style torch_old --ts us",
    "indented": f"{SMALL} --style indent2",
    "compact": f"{SMALL} --style compact",
    "shuffled": f"{SMALL} --shuffle-keys",
}
# The text is no longer realistic in size there.
LOOSE = {"indented", "compact", "shuffled", "bare", "one rank", "python frames", "order of ends"}


def generate(folder, flags):
    subprocess.run([GENERATOR, "--out", folder, *flags.split()], check=True, stdout=subprocess.DEVNULL)


def load(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        return file.read()


def require(holds, what):
    if not holds:
        sys.exit(f"self-test: {what}")


def check_sets(scratch):
    for name, flags in CHECKED.items():
        folder = os.path.join(scratch, name.replace(" ", "-"))
        generate(folder, flags + " --truth full")
        loose = ["--bytes-per-event=150:1500", "--gzip-ratio=4:60"] if name in LOOSE else []
        done = subprocess.run([sys.executable, CHECK, folder, *loose], capture_output=True, text=True)
        print(f"{name}: {done.stdout.strip()}")
        require(done.returncode == 0, f"the set '{name}' is wrong: {done.stderr}")


def check_same_bytes(scratch):
    one, two = os.path.join(scratch, "threads-1"), os.path.join(scratch, "threads-4")
    generate(one, f"{SMALL} --tp 2 --threads 1 --truth full")
    generate(two, f"{SMALL} --tp 2 --threads 4 --truth full")
    names = sorted(os.listdir(one))
    require(names == sorted(os.listdir(two)), "threads change the files")
    _, differ, errors = filecmp.cmpfiles(one, two, names, shallow=False)
    require(not differ and not errors, f"threads change {differ}")
    other = os.path.join(scratch, "seed-2")
    generate(other, f"{SMALL} --tp 2 --seed 2")
    require(not filecmp.cmp(f"{one}/rank-0.json.gz", f"{other}/rank-0.json.gz", shallow=False), "seeds change nothing")


def check_styles(scratch):
    """The styles differ in text alone."""
    base = json.loads(load(os.path.join(scratch, "tensor-parallel", "rank-1.json.gz")))
    for style in ("--style indent2", "--style compact", "--shuffle-keys", "--gzip 0", "--members 7", "--meta-last"):
        folder = os.path.join(scratch, "style")
        generate(folder, f"{CHECKED['tensor parallel']} {style}")
        path = os.path.join(folder, "rank-1.json" + ("" if style == "--gzip 0" else ".gz"))
        require(json.loads(load(path)) == base, f"{style} changes the events")
    generate(folder, f"{CHECKED['tensor parallel']} --members 7")
    raw = open(os.path.join(folder, "rank-1.json.gz"), "rb").read()
    require(raw.count(b"\x1f\x8b\x08") >= 7, "gzip members are missing")


def check_hostile(scratch):
    def variant(name):
        folder = os.path.join(scratch, "hostile")
        # Some variants spoil one event in a thousand.
        steps = 30 if name == "negative-dur" else 3
        generate(folder, f"{SMALL} --steps {steps} --gzip 0 --hostile {name}")
        return load(os.path.join(folder, "rank-0.json")).decode()

    events = lambda text: json.loads(text)["traceEvents"]
    complete = lambda text: [e for e in events(text) if e["ph"] == "X"]
    plain = os.path.join(scratch, "plain")
    generate(plain, f"{SMALL} --gzip 0")
    reference = events(load(os.path.join(plain, "rank-0.json")))

    text = variant("exp-ts")
    require("e12" in text, "no exponents")
    require([e["ts"] for e in events(text)] == [e["ts"] for e in reference], "exponents change times")
    require(any(isinstance(e["ts"], str) for e in events(variant("string-ts"))), "no ts is text")
    require(any("dur" not in e for e in complete(variant("missing-dur"))), "every dur is there")
    require(any(e["dur"] < 0 for e in complete(variant("negative-dur"))), "no dur is negative")
    require(all(isinstance(e["pid"], str) for e in events(variant("string-pid"))), "a pid is a number")
    require(any("args" not in e for e in complete(variant("missing-args"))), "all args are there")
    require(any("Nested" in e.get("args", {}) for e in events(variant("deep-arg"))), "nothing is deep")
    require(len(variant("huge-arg")) > 5_000_000, "nothing is huge")
    require("\\u0000" in variant("nul") and "\\ud83d" in variant("surrogate"), "no odd escapes")
    require(isinstance(json.loads(variant("bare-array")), list), "not an array")
    require(": NaN" in variant("nan") and "-Infinity" in variant("nan"), "no numbers that are none")
    try:
        json.loads(variant("trailing-comma"))
        require(False, "no trailing comma")
    except json.JSONDecodeError:
        pass


def check_faults_in_files(scratch):
    folder = os.path.join(scratch, "cut")
    generate(folder, f"{SMALL} --truncate 1:5000 --truncate-file 2:3000")
    require(len(load(os.path.join(folder, "rank-1.json.gz"))) == 5000, "the text is not cut")
    require(os.path.getsize(os.path.join(folder, "rank-2.json.gz")) == 3000, "the file is not cut")

    def count(flags, predicate):
        generate(folder, f"{SMALL} {flags}")
        return sum(predicate(e) for e in json.loads(load(os.path.join(folder, "rank-0.json.gz")))["traceEvents"])

    kernel = lambda e: e.get("cat") == "kernel"
    call = lambda e: e.get("cat") == "cuda_runtime"
    linked = lambda e: kernel(e) and "correlation" in e["args"]
    collective = lambda e: kernel(e) and e["name"].startswith("nccl")
    with_args = lambda e: collective(e) and "Collective name" in e["args"]
    for flags, predicate in (("--drop kernels:20", kernel), ("--drop launches:20", call), ("--drop corr:20", linked),
                             ("--lost-collectives 60", collective), ("--no-collective-args", with_args)):
        require(count(flags, predicate) < count("", predicate), f"{flags} leaves everything in")


def check_refusals(scratch):
    for flags in ("--tp 3", "--preset nope", "--style loud", "--stall 1:2", "--hostile ghosts", "--jitter 100"):
        done = subprocess.run([GENERATOR, "--out", scratch, *flags.split()], capture_output=True, text=True)
        require(done.returncode == 2, f"{flags} is accepted")


def main():
    with tempfile.TemporaryDirectory() as scratch:
        check_sets(scratch)
        check_same_bytes(scratch)
        check_styles(scratch)
        check_hostile(scratch)
        check_faults_in_files(scratch)
        check_refusals(scratch)


if __name__ == "__main__":
    main()
