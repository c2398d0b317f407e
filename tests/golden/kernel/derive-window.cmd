met kernel derive "'q h d, x h d -> h q x' @ mask.window[q x](128) @ softmax[x] @ 'h q x, x h d -> q h d'" --set d=64
