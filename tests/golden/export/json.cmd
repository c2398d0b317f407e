met export json "'q h d, x h d -> h q x' @ scale(d^-0.5) @ softmax[x] @ 'h q x, x h d -> q h d'" --set q=5,h=2,d=4,x=7
