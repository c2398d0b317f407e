met circuit run 'x: n m
exp(x)' --set n=2,m=3 --fill iota --out y.npy
met circuit run 'x: n m
exp(x)' --set n=3,m=2 --in x=y.npy
met circuit run 'x: n
exp(x)' --set n=6 --in x=y.npy
