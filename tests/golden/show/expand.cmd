met circuit show "softmax[x]" --expand
met circuit show "softmax[x]" --expand --numerics float
met circuit show "softmax[x]" --expand --numerics pow2
met circuit show "'q h d, x h d -> h q x' @ mask.causal[q x] @ softmax[x]" --expand --set q=2,x=2
