met circuit show "x: n
map['n -> n'](x, { foo(a) })"
met circuit show "x: n
map['n -> n'](x, { max(a) })"
met circuit show 'scale(d^-0.5)'
met circuit show 'x: n m
mask[n m](x, { n + m })'
met circuit show 'exp ^ exp'
met circuit show 'x: n=n/2.5 m
exp(x)'
# what is recalled is not known while it is recalled
met circuit show "s: k
x: n k
scan['k, n k -> n k, k'](s, x, {a + b}, {c}, {c})"
