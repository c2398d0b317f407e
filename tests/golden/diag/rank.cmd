met circuit show "'n m -> n' @ softmax[q x]"
met circuit show 'x: n m
y: n
add(x, y)'
met circuit show "x: n
'n m -> n'(x)"
