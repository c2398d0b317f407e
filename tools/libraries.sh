#!/bin/sh
# Writes the generated part of docs/libraries.md anew: all below its line "<!-- generated -->".
# usage: libraries.sh ROOT PROGRAM
set -eu
page=$1/docs/libraries.md
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
first_line() { command -v "$1" >/dev/null 2>&1 && "$@" 2>/dev/null | head -n 1 || echo "$1: absent"; }
package() {
    dpkg-query -W -f '${Package} ${Version}\n' "$1" 2>/dev/null | grep ' .' || echo "$1: absent"
}
{
    sed '/^<!-- generated -->$/q' "$page"
    printf '\n## Versions\n\n'
    first_line gcc --version | sed 's/^/- /'
    first_line clang --version | sed 's/^/- /'
    for p in libopenblas0-openmp libopenblas0-pthread libblis4-openmp libdnnl2; do package "$p" | sed 's/^/- /'; done
    printf -- '- instructions of the machine:'
    for feature in sse2 avx avx2 fma avx512f avx512_bf16 amx_bf16; do
        ! grep -q -w "$feature" /proc/cpuinfo || printf ' %s' "$feature"
    done
    printf '\n\n## What was found\n'
    "$2" "$scratch"
} >"$scratch/page"
cat "$scratch/page" >"$page"
echo "met: written to docs/libraries.md"
