# nothing to run on; too much to run; an id beyond its table
met circuit run 'x: n m
exp(x)' --set n=2,m=3
met circuit run 'x: n m
exp(x)' --set n=100000,m=100000 --fill wave
met circuit run "'n m, m k -> n k'" --set n=4000,m=40000,k=4000 --fill wave
