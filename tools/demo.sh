#!/bin/sh
# The main job, shown: causal attention from one line, then a real model from its published configuration.
# Run by `make demo`, which builds first and puts the program on the PATH.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
out=${MET_DEMO_OUT:-$root/build/demo}
MET_KERNELS=$root/kernels
export MET_KERNELS
mkdir -p "$out"

say() { printf '\n== %s\n\n' "$*"; }
show() { printf '$ %s\n' "$*"; }

attention="'q h d, x h d -> h q x' @ scale(d^-0.5) @ mask.causal[q x] @ softmax[x] @ 'h q x, x h d -> q h d'"
sizes=q=5,x=7,h=2,d=4

say "Causal attention from one line: typed, axes aligned, free sizes at the end"
show "met circuit show \"\$attention\""
met circuit show "$attention"

say "Run at small sizes with the fill that the documentation states"
show "met circuit run \"\$attention\" --set $sizes --fill wave --dtype f64"
met circuit run "$attention" --set $sizes --fill wave --dtype f64

say "The same sums written out as plain loops (examples/attention.c)"
"$root/build/release/tests/example_attention" | tail -n 3

say "The kernel that its algebra leaves: what is kept while the keys stream"
show "met kernel derive \"\$attention\""
met kernel derive "$attention"

sizes=q=4096,x=4096,h=8,d=64
say "What it saves: bytes moved, op by op and as one kernel"
show "met circuit cost \"\$attention\" --set $sizes --levels L2=1MiB,L1=32KiB | tail -n 5"
met circuit cost "$attention" --set $sizes --levels L2=1MiB,L1=32KiB | tail -n 5

sizes=q=64,x=128,h=2,d=32
say "Compiled as one kernel on two threads, it has the bytes of the interpreter"
show "met circuit diff \"\$attention\" --set $sizes --fill normal --a none@interpreter --b fused@cpu --threads 1,2"
met circuit diff "$attention" --set $sizes --fill normal --a none@interpreter --b fused@cpu --threads 1,2

say "The kernel as C for other programs"
show "met kernel build \"\$attention\" --set $sizes --hardware cpu-scalar -o attention.c"
met kernel build "$attention" --set $sizes --hardware cpu-scalar -o "$out/attention.c"
grep '^void' "$out/attention.h"

say "Drawn"
met circuit draw "$attention" --ascii --width 100
met circuit draw "$attention" -o "$out/attention.svg"
met circuit draw "$attention" --set $sizes -o "$out/attention.html"
met kernel draw "$attention" -o "$out/attention-kernel.svg"

config=$root/examples/llama-3.1-8b/config.json
say "Llama-3.1-8B from its published configuration: one layer of the listing, the totals, a drawing"
show "met circuit show llama --config examples/llama-3.1-8b/config.json"
met circuit show llama --config "$config"
met circuit draw llama --config "$config" -o "$out/llama-3.1-8b.svg"

say "One of its layers at toy sizes"
tiny=$root/examples/llama-tiny/config.json
show "met circuit run llama --config examples/llama-tiny/config.json --layers 1 --set n=4 --fill wave --dtype bf16"
met circuit run llama --config "$tiny" --layers 1 --set n=4 --fill wave --dtype bf16

say "Drawings"
for f in attention.svg attention-kernel.svg attention.html llama-3.1-8b.svg; do
    printf '%s (%s bytes)\n' "$out/$f" "$(wc -c <"$out/$f" | tr -d ' ')"
done
