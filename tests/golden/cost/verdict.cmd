# wide rows argue against fusing; rows wider than the level fuse only if they are streamed again
met circuit cost "'q d, x d -> q x' @ softmax[x] @ 'q x, x e -> q e'" --set q=4096,x=4096,d=192,e=192 --levels M=16384 --liveness tiles | tail -4
met circuit cost 'f(x: n m) -> y { y = logsumexp[v](linear[m -> v](x)) }' --set n=8192,m=4096,v=32000 --levels M=116224 | tail -4
met circuit cost 'f(x: n m) -> y { y = linear[f -> p](relu(linear[m -> f](x))) }' --set n=4096,m=256,f=1024,p=256 --levels M=116224 | tail -4
met circuit cost 'f(x: n m) -> y { y = linear[f -> p](relu(linear[m -> f](x))) }' --set n=4096,m=420,f=1260,p=420 --levels M=116224 | tail -4
met circuit cost 'f(x: n m) -> y { y = silu(x) }' --set n=1000,m=10 --levels M=64 | tail -4
