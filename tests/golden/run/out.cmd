# outputs and new states to files, by name
met circuit run 'step(x: n d, state kc: p d) -> y { y = kv_append[p d; p](kc, x) }' --set n=1,p=2,d=2 --fill iota --out y=y.npy --out kc=kc.npy
ls
met circuit run 'x: n d
scale(x, 1)' --set n=3,d=2 --in x=y.npy
