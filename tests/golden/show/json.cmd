# the same as met export json
met circuit show "softmax[x]" --json >a
met export json "softmax[x]" >b
cmp a b
cat a
