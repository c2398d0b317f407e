met circuit run 'x: n m
linear[m -> f](x, @w)' --set m=3 --fill wave
met circuit run 'x: n m
exp(x)' --set n=2,m=3
met circuit run 'x: n m
exp(x)' --set n=2,m=3 --fill iota --out y.npy
met circuit run 'x: n m
exp(x)' --set n=3,m=2 --in x=y.npy
met circuit run 'x: n m
exp(x)' --set n=100000,m=100000 --fill wave
met circuit run 'x: n m
exp(x)' --set n=2,m=2 --fill wave --tree tall
met circuit run 'x: n m
exp(x)' --set n=2,m=2 --fill wave --seed -1
met circuit run 'x: n m
exp(x)' --set n=2,m=2 --fill wave --out z=y.npy
met circuit run 'x: n m
exp(x)' --set n=2,m=2 --fill wave --division late
met circuit run 'x: n m
exp(x)' --set n=2,m=2 --fill wave --dot bf16
met circuit run 'x: n m
exp(x)' --set n=2,m=2 --fill wave --dtype f32 --tree 'lanes16, rescale pow2'
