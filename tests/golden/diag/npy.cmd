# not a NumPy array, and an array that was cut off
echo 'not an array' >x.npy
met circuit run 'x: n
exp(x)' --set n=4 --in x=x.npy
met circuit run 'x: n
exp(x)' --set n=4 --fill iota --out y.npy
head -c 140 y.npy >cut.npy
met circuit run 'x: n
exp(x)' --set n=4 --in x=cut.npy
