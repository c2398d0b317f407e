# what is written can be read back
met circuit run 'x: n m
scale(x, 2)' --set n=2,m=3 --fill iota --out y.npy
met circuit run 'x: n m
scale(x, 2)' --set n=2,m=3 --in x=y.npy
