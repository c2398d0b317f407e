met circuit show 'f = exp
f = log
f'
met circuit show 'softmax = exp'
met circuit show 'x: n
y = exp(x)
y = log(y)'
met circuit show 'f(x: n, x: m) -> y { y = exp(x) }'
met circuit show 'x: n m
@w: f m
@w: m f
linear[m -> f](x, @w)'
met circuit show 'x: n
-> x
-> x'
met circuit show 'circuit f(x: n) -> y { y = exp(x) }
circuit g(x: n) -> y { y = log(x) }'
met circuit show 'x: n
linear[n -> m](x, @w)
@w: m n'
met circuit show '@w * @w'
