#!/bin/sh
# Judges a profiled run before a change is merged: by a budget, and against a baseline kept in git.
# usage: perf-gate.sh RUN BASELINE [RESULTS]     RUN: directory of traces; BASELINE: file of --save-baseline, or a run
set -u
run=$1
baseline=$2
results=${3:-perf-results}
hta=${HTA:-hta}
here=$(dirname -- "$0")
mkdir -p "$results"
status=0

# Keeps the worst of two exit statuses: failed (1) before undecided (3) and errors (2), those before passed (0).
worst() {
  case $1 in
    0) ;;
    1) status=1 ;;
    *) [ "$status" -eq 0 ] && status=$1 ;;
  esac
}

"$hta" check "$run" --budget "$here/budget.json" --junit "$results/budget.xml"
worst $?
"$hta" check "$run" --baseline "$baseline" --fail-on 'step_time>5%' --fail-on 'exposed_comm>5%' \
  --junit "$results/regression.xml" -f markdown -o "$results/comment.md"
worst $?
exit "$status"
