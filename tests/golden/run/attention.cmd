met circuit run "'q h d, x h d -> h q x' @ scale(d^-0.5) @ mask.causal[q x] @ softmax[x] @ 'h q x, x h d -> q h d'" --set q=6,h=2,d=4,x=6 --fill wave
met circuit run "'q h d, x h d -> h q x' @ scale(d^-0.5) @ softmax[x] @ 'h q x, x h d -> q h d'" --set q=2,h=1,d=2,x=3 --fill normal --dtype f32 --json
