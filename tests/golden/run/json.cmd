met circuit run "softmax[x]" --set x=4 --fill iota --json
