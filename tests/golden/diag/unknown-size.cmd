met circuit show "'q h d, x h d -> h q x' @ scale(d^-0.5) @ softmax[x] @ 'h q x, x h d -> q h d'" --set q=1,k=2
met circuit show "'n d, m d -> n m'" --set d.2=4
met circuit show 'softmax[x]' --set X=4
met circuit show 'softmax[x]' --set x=4 --set x=5
met circuit show 'x: n=4
exp(x)' --set n=3
met circuit show llama --config examples/llama-tiny --mode decode --set n=4
