met circuit show 'x: n
exp(x, x)'
met circuit show 'x: n
add(x)'
met circuit show "x: n m
'n m, m f -> n f'(x)"
met circuit show 'f(x: n, y: n) -> z { z = add(x, y) }
a: n
f(a)'
met circuit show 'x: n
a, b = exp(x)'
met circuit show 'permute(0, 0)'
met circuit show 'permute(1, 2)'
met circuit show 'swap(3)'
met circuit show 'exp ^ 0'
met circuit show 'x: n m
a = top_k[m -> k=2](x)'
