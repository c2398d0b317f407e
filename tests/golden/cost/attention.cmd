attention="'q d, x d -> q x' @ softmax[x] @ 'q x, x e -> q e'"
sizes=q=4096,x=4096,d=64,e=64
met circuit cost "$attention" --set $sizes --levels M=32768
met circuit cost "$attention" --set $sizes --levels M=32768 --liveness tiles --planner fused
# granules; two levels that nest; bytes; a class, in whose small level the rows of a softmax do not fit
met circuit cost "$attention" --set $sizes --levels M=16384 --granule tile=16,stream=16 --planner fused
met circuit cost "$attention" --set $sizes --levels L2=1MiB,L1=32KiB --nesting divide --dtype bf16 --planner fused
met circuit cost "$attention" --set $sizes --hardware cpu-avx2 --planner none
met circuit cost "$attention" --set $sizes --levels M=32768 --planner fused --json
# nothing is wide enough for one row
met circuit cost "$attention" --set $sizes --levels M=100 --planner fused
