#!/bin/sh
# Runs every fuzz target of a build for some seconds each. usage: fuzz.sh BUILD SECONDS
set -eu
build=$1
seconds=$2
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$build/findings"
for target in "$build"/tests/fuzz_*; do
    [ -f "$target" ] && [ -x "$target" ] || continue
    name=$(basename "$target")
    name=${name#fuzz_}
    grown="$build/corpus/$name"
    given="$root/tests/fuzz/corpus/$name"
    mkdir -p "$grown"
    [ -d "$given" ] || given=
    words="$root/tests/fuzz/$name.dict"
    [ -f "$words" ] && words="-dict=$words" || words=
    echo "== fuzz $name, $seconds s"
    "$target" -max_total_time="$seconds" -max_len=65536 -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$build/findings/$name-" $words "$grown" $given
done
