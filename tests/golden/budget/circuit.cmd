# budgets of circuits: every term, two sides, the same records, measured and found again, refusals
program="rmsnorm[m] @ linear[m -> k] @ relu"
met budget "n >> ($program)" --set n=2,m=8,k=4 --fill iota --dtype bf16
met budget "n >> ($program)" --set n=2,m=8,k=4 --fill ones --dtype bf16 --hardware h100-sxm --against cpu-avx512
met budget "n >> ($program)" --set n=2,m=8,k=4 --fill ones --hardware cpu-avx2 --against cpu-avx512
for k in 1 2; do met budget "n >> ($program)" --set n=2,m=8,k=4 --fill iota --measure --store s.sqlite | grep estimate; done
met budget "sum[n]" --set n=1000 --fill ones --tree "lanes16, store bf16"
met budget "sum[n]" --set n=1000 --fill ones --lambda 6
met budget "sum[n]" --set n=1000 --fill ones --lambda 6 --tree "sequential, rz"
met budget "sum[n]" --set n=1000 --fill wave --lambda 0.0001 | tail -6
met budget "sum[n]" --set n=1000 --fill ones --lambda -1
met budget llama --toy --block nothing
met budget llama --toy --block mlp --whole
met budget "softmax[n] @ silu" --set n=4 --fill ones --whole
met budget "sum[n]" --set n=4 --ulps 2
met budget "(FPCore (x) x)" --block mlp
met budget "sum[n]" --set n=2 --hardware nowhere
met budget "linear[m -> k]" --set m=2,k=1 --fill ones --json
# a softmax has a bound however far its scores are off, and so has a whole model
met budget llama --toy --dtype bf16 --block attention --hardware h100-sxm --against cpu-avx512 | sed -n '/softmax/,/ d /p; /tolerance/,$p'
met budget llama --toy --dtype bf16 --whole | grep -c 'derived.*none bound'
met budget deepseek_v3 --toy --block moe | grep -A1 router
# a model, block by block: what two classes differ by is within what both may be off
met budget llama --toy --dtype bf16 --fill wave --hardware h100-sxm --against cpu-avx512 >all.txt; echo "$? $(grep -c observed all.txt) $(grep -c mistake all.txt)"
# decode: what caches are off by comes from the runs before, in blocks and over all; both sides have their own; what has none
met budget llama --toy --dtype bf16 --mode decode --steps 3 --block attention | sed -n '1,2p; /keys.all = /,/ d /p; /tolerance/,$p'
for m in llama bamba; do met budget $m --toy --mode decode --dtype bf16 --hardware h100-sxm --against cpu-avx512 >d.txt; echo "$m $? $(grep -c 'to begin with' d.txt) $(grep -c mistake d.txt)"; done
met budget llama --toy --mode decode --whole >d.txt; echo "$? $(grep -c 'to begin with' d.txt) $(grep -c mistake d.txt)"
met budget llama --toy --mode decode --steps 8
met budget llama --toy --steps 2
# choices that errors leave open: bounds under a condition
met budget deepseek_v2 --toy --dtype bf16 --block moe | sed -n '/tolerance/,$p'
met budget "n >> linear[m -> k]" --set n=1000,m=2000,k=1000
