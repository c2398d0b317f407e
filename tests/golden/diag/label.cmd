met circuit show "'q d d, x d -> q x x'"
met circuit show 'softmax[x x]'
met circuit show 'softmax'
met circuit show 'softmax[x -> y]'
met circuit show 'softmax[q h; x]'
met circuit show 'linear[m]'
met circuit show "softmax['q x -> q x']"
met circuit show 'mask.causal[x]'
met circuit show 'exp[x]'
met circuit show 'f = exp
f[x]'
