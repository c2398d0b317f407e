# a bare normalizer keeps its axis: refused, and said where
met kernel derive 'n >> softmax[x]'
