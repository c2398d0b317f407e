# a family's width over the terms that a fold has: shown, compared, planned, emulated and bounded at the node's own size
cp -r "$MET_ROOT/kernels" mine
sed -i 's|"sequential, matrix 16+c F25 rz"|"contiguous [ceil(k/8)] sequential split then sequential, matrix 16+c F25 rz"|' mine/classes/hopper/KERNEL_FAMILIES.toml
met tree show linear@hopper --n 64 --kernels mine | sed -n '1p;3,4p'
met tree show linear@hopper --set k=24 --kernels mine | head -1
met tree show linear@hopper --kernels mine
met tree compare linear@hopper 'contiguous 3 sequential split then sequential, matrix 16+c F25 rz' --n 20 --kernels mine | head -1
llama="llama --toy --mode decode --dtype bf16 --kernels mine"
met circuit diff $llama --a greedy@h100-sxm --b greedy@cpu-avx512 | grep -A2 'linear (wo)'
met circuit run llama --toy --mode decode --dtype bf16 --fill normal --hardware h100-sxm --emulate --kernels mine 2>&1 | grep -m2 contiguous
met budget $llama --hardware h100-sxm --against cpu-avx512 | grep -m1 -A1 'contiguous 3'
# a size that nobody knows, and widths that have no number
sed -i 's|\[ceil(k/8)\]|[ceil(tiles/8)]|' mine/classes/hopper/KERNEL_FAMILIES.toml
met circuit diff $llama --a greedy@h100-sxm --b greedy@cpu-avx512 | grep -A2 'linear (wo wd)'
met tree show linear@hopper --n 64 --kernels mine
met tree show 'strided [k*k*k*k*k*k] sequential then pairwise' --set k=4096
met tree show 'strided [k*k] sequential then pairwise' --set k=0
met tree show 'strided [k*k] sequential then pairwise' --set k=many
