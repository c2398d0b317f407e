# words of array libraries, and one of no library
for op in 'matmul(x, @w)' 'conv1d(x, @w)' 'transpose(x)' 'frobnicate(x)'; do
    met circuit show "x: t c
y = $op"
done
# what is advised reads
met circuit show "x: t c
y = 'w k c, o k c -> w o'(view[w k c <- w + k, c](x), @w)" >/dev/null
met circuit show "view[i k j l c <- i + k, j + l, c] @ 'i k j l c, o k l c -> i j o'" >/dev/null
met circuit show "'b n k, b k m -> b n m'" >/dev/null
met circuit show "'a b -> b a'" >/dev/null
