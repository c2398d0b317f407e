# arrays that are given bind the sizes of their axes; what they do not say, --set does
met circuit run 'q >> softmax[x]' --set q=3,x=4 --fill iota --out a.npy
met circuit run 'x: n m
y = exp(x)' --in x=a.npy | head -n 1
met circuit run 'x: n m
y = linear[m -> f=2*m](x, @w)' --in x=a.npy --fill ones | head -n 1
met circuit run 'x: n m
y = linear[m -> f](x, @w)' --in x=a.npy --set f=2 --fill ones | head -n 1
met circuit run 'x: n n
y = exp(x)' --in x=a.npy
met circuit run 'x: n m
y = exp(x)' --in x=a.npy --set n=5
met circuit run 'x: n m
y = linear[m -> f](x, @w)' --in x=a.npy --fill ones
