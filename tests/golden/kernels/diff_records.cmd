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
# a unit's tree says nothing of operands that it does not take; what it does take is said
cat >t.met <<'END'
a: bf16[i k]
b: bf16[j k]
y = einsum['i k, j k -> i j'](a, b) : f32
END
sizes=i=2,j=2,k=48
met circuit diff "'i k, j k -> i j'" --set $sizes --dtype f32 --a greedy@h100-sxm --b greedy@cpu-scalar
# what is said to make them equal can be typed, and does: options of one side
met circuit diff t.met --set $sizes --dtype f32 --a greedy@h100-sxm --b greedy@cpu-scalar | sed -n '/^equal with/,$p'
met circuit diff t.met --set $sizes --fill normal --a greedy@h100-sxm --b none@interpreter --tree-b 'sequential, matrix 16+c F25 rz' --emulate | tail -1
met circuit diff t.met --set $sizes --a greedy@cpu-scalar --b greedy@h100-sxm --dot-a pairs --setting residual_f32=on | grep -A3 '^by records'
# what cannot run is told of first, and what does
met circuit diff llama --toy --mode decode --dtype bf16 --fill wave --a greedy@h100-sxm --b greedy@cpu-scalar --emulate --tree 'sequential, matrix 16+c F25 rz' 2>&1 | sed -n '1p; $p'
