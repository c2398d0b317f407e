met circuit show 'f(x: n d, state kc: p d) -> y { y = exp(x) }'
met circuit show 'f(x: n d, kc: p d) -> y { y = kv_append[p](kc, x) }'
met circuit show 'step(x: n d, state kc: p d) -> y { y = kv_append[p](kc, x) }
exp @ step'
met circuit show 'step(x: n d, state kc: p d) -> y { a = kv_append[p](kc, x); y = kv_append[p](kc, a) }'
