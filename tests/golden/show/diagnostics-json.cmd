# diagnostics as data, two places and help; a usage error
met circuit show 'x: n=4
y: n=5
add(x, y)' --json
met circuit show --json --whale exp
met circuit show --json 'exp @ sofmax[x]'
