#!/bin/sh
# Runs every benchmark of a build, one after the other, and keeps what they print. usage: bench.sh BUILD_DIR
# BENCH_QUICK=1 in the environment: small cases and few rounds.
set -eu
results=$1/bench/results.txt
for program in "$1"/bench/bench_*; do
    [ -x "$program" ] || continue
    [ -z "${BENCH_QUICK-}" ] || [ "${program##*/}" != bench_scale ] || continue # it has no small cases
    printf '== %s\n' "$(basename "$program")"
    "$program" || printf 'FAILED: %s\n' "$program"
    printf '\n'
done | tee "$results"
echo "met: written to $results"
! grep -q '^FAILED: ' "$results"
