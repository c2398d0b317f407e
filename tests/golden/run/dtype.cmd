# bf16 edges are rounded; normal fills have the same bits on every machine
met circuit run 'x: n m
add(x, x)' --set n=2,m=3 --fill normal --seed 7 --dtype bf16
met circuit run 'x: n
sum[n](x)' --set n=100 --fill iota --dtype f32 --tree lanes16
