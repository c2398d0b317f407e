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
# no more is picked than there is, from groups neither
met circuit show 'router[e -> k]' --set e=4,k=5
met circuit show 'x: n=2 a=2 e=3
router[a e -> k=2](x, top_groups=3)'
met circuit show 'x: n=2 a=2 e=3
router[a e -> k=4](x, top_groups=1)'
met circuit show 'top_k[e -> k]' --set e=4,k=5
