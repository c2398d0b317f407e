# both places of a conflict
met circuit show 'x: n=4 m=8
y: n=4 m=9
add(x, y)'
cat >attention.met <<'END'
q: q h d=64
k: x h d=80
s = 'q h d, x h d -> h q x'(q, k)
p = softmax[x](s)
END
met circuit show attention.met
met circuit show "'q d=3, x d -> q x=4' @ 'q x=5 -> q'"
met circuit show 'f(x: n=4) -> y { y = exp(x) }
g(x: n=5) -> y { y = f(x) }'
met circuit show 'x: n:4 m:8
exp(x)'
