met circuit run 'x: n m
linear[m -> f](x, @w)' --set m=3 --fill wave
