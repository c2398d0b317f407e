met circuit show 'sotfmax[x]'
met circuit show 'attn = softmax[x]
exp @ atn'
met circuit show 'frobnicate'
met circuit show 'f(x: n m) -> y { y = exp(z) }'
met circuit show 'f(x: n m) -> y { z = exp(x) }'
