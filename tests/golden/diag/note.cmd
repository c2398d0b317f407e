# the logarithm of 0
met circuit run 'x: n
log(x)' --set n=4 --fill zeros
