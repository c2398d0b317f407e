met circuit show 'softmax[x]' --set x=0
met circuit show 'softmax[x]' --set x=-4
met circuit show 'softmax[x]' --set x=many
met circuit show 'softmax[x]' --set x=1e3
met circuit show 'softmax[x]' --set x=99999999999999999999
met circuit show 'softmax[x]' --set x
met circuit show 'softmax[x]' --set '=3'
met circuit show 'softmax[x]' --set ''
met circuit show 'softmax[x]' --set 'x=3,x=4'
met circuit show 'x: n=m*m m
exp(x)' --set m=200000000000
met circuit show llama --mode decode --set c=0
