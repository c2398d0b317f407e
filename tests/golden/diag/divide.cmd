met circuit show 'x: fp8/g128[n m]
dequantize(x)' --set m=100
met circuit show 'x: n=h/2 h
exp(x)' --set h=5
met circuit show 'rope[n d]' --set d=5
