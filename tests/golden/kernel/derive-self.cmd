# query and key positions of one axis stay apart
met kernel derive "n >> copy(3) @ (linear[m -> h d] * linear[m -> h d] * linear[m -> h d]) @ 'q h d, x h d -> h q x' @ softmax[x] @ 'h q x, x h d -> q h d' @ linear[h d -> m]"
