met circuit show 'f = exp @ g
g = f @ log
f'
met circuit show 'let n = m + 1
let m = n
x: k=n
exp(x)'
