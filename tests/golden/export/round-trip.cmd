# what is written reads back to the same bytes; -o replaces a file as a whole
met export json "'q h d, x h d -> h q x' @ scale(d^-0.5) @ softmax[x] @ 'h q x, x h d -> q h d'" -o a.json
met export json a.json --output b.json
cmp a.json b.json
met export json case/../show/block.met >c.json
met export json c.json | cmp - c.json
met circuit show c.json
