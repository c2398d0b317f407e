# what a unit multiplies is what it takes: by its name, by the family that declares it, and nothing else
met tree compare h100.tf32 a100.tf32 --n 8
met tree compare h100.f16 a100.f16 --n 64 | grep terms
met tree compare linear@hopper sequential --n 64 | grep terms
met tree compare linear@hopper sequential --n 64 --dtype f64
met tree compare h100.f16 h100.bf16 --n 64
met tree compare lanes4 lanes8 --n 64 --dtype e8m0
# products of bf16 are exact in f32 within its range; subnormal numbers are what flushing flushes
met tree compare 'sequential, mul_add' sequential --n 2 --dtype bf16
met tree compare 'sequential, flush' sequential --n 3 --sum --json
# numbers rather than infinities, where there are such inputs
met tree compare 'lanes16, mul_add' 'lanes16, fma' --n 100
# nothing is wider than 80 columns
met tree compare 'contiguous n/256 sequential split then strided 8 pairwise lane then halves' 'lanes16' --n 1000 | awk 'length > 80'
met tree show "$(met tree show lanes16 --n 60 --json | sed -n 's/.*"tree": "\(.*\)",/\1/p'), mul_add"
# two units: the accumulator's start is part of the input
met tree witness volta_half ampere_half --n 8 -o units | grep -E '^  c|written'
ls units_c.npy
# nesting beyond the limit has a message of its own
{ printf '{"format": "met-tree-1", "written": "'; printf '%5000s' '' | tr ' ' '('; printf '0 1"}'; } >deep.json
met tree show deep.json 2>&1 | head -1
