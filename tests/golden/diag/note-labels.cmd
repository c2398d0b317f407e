# a label that names another position than it seems to, and letters run together
met circuit show 'x: b o i k j l
y = max[k l](x)'
met circuit show "'bqd,bkd->bqk'" >/dev/null
