# Where a side cannot run here the records decide: what differs, node by node, layers that are alike told of once; what one change
# would make equal, and at what price by the model. Exit status 1 unless the same is promised.
met circuit diff llama --toy --mode decode --dtype bf16 --a greedy@h100-sxm --b greedy@cpu-avx512 | sed -n '/^by records/,$p'
met circuit diff llama --toy --mode decode --dtype bf16 --a greedy@h100-sxm --b greedy@b200 | sed -n '/^by records/,$p'
# what nobody declares is unknown, and no tree changes that
met circuit diff llama-3.1-8b-nvfp4 --mode decode --a greedy@b200 --b greedy@h200-sxm | sed -n '/^by records/,$p'
# at a point that kernels cannot be written for nothing is known of them
met circuit diff llama --toy --mode decode --dtype bf16 --tree reverse --a greedy@h100-sxm --b greedy@cpu-avx2 >out
echo "status $?"
sed -n '/^by records/,/^  linear/p' out
met circuit diff llama --toy --mode decode --dtype bf16 --a greedy@h100-sxm --b greedy@cpu-avx2 --json | sed 's/.*"records"/"records"/' | tr '{' '\n'
# what cannot run here may be emulated, and bytes compared as well
met circuit diff llama --toy --mode decode --dtype bf16 --fill normal --a greedy@h100-sxm --b greedy@b200 --emulate | sed -n '/^by records/,$p'
