# all sizes of a name, one of them, in several options
met circuit show "'q h d, x h d -> h q x' @ scale(d^-0.5) @ softmax[x] @ 'h q x, x h d -> q h d'" --set q=5,h=2 --set d=4,d.2=8,x=7
