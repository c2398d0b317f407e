met tree compare lanes16 lanes32 --n 64 --dtype bf16
met tree compare h100.f16 a100.f16 --n 64 --dtype f16 --json | head -12
met tree compare 'lanes16, first' lanes16 --n 40 --witness w && echo same
ls
met tree compare 'pairwise, first' 'butterfly, mul_add' --n 64
met tree compare 'sequential, mul_add' sequential --n 64 --dtype f16
met tree compare 'lanes16, undeclared start' lanes16 --n 64
met tree witness sequential 'sequential, mul_add' --n 5 -o contraction
ls
met tree compare pairwise sequential --n 2 --json | tail -6
met tree compare 'lanes16, over k' 'lanes16, over m' --n 64
met tree compare 'lanes16, over k' lanes16 --n 64
met tree compare 'lanes16, undeclared axis' lanes16 --n 64
