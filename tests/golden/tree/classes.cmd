# kernel by kernel, what families declare
met tree compare hopper cpu-avx512 --n 64 | sed -n '1,4p;24,28p;$p'
met tree compare cpu-avx2 cpu-avx512 --n 64 >out && tail -1 out
met tree compare hopper b200 --n 32 --json | sed -n '1,2p'
met tree compare hopper cpu-avx512 2>&1 | head -1
# plans of a circuit, as the records part of met circuit diff
met circuit diff llama --toy --mode decode --dtype bf16 --a greedy@h100-sxm --b greedy@cpu-avx512 | sed -n '/^by records/,$p' >of_diff
met tree compare greedy@h100-sxm greedy@cpu-avx512 --circuit llama --toy --mode decode --dtype bf16 >of_plans
echo "status $?"
cmp of_diff of_plans && head -3 of_plans
met tree compare greedy@cpu-avx2 greedy@cpu-avx512 --circuit llama --toy --mode decode --json | cut -c1-60
met tree compare greedy@cpu-avx2 greedy@cpu-avx512
met tree compare linear@hopper greedy@hopper --circuit llama --toy
# the records of an emulated run
met circuit diff llama --toy --mode decode --dtype bf16 --fill normal --a greedy@h100-sxm --b greedy@b200 --emulate --json >json
sed 's/.*\("records":{"verdict":"[a-z]*"\).*/\1/' json | cut -c1-60
