# the vocabulary is streamed
met kernel derive "n >> linear[m -> v] @ logsumexp[v]"
met kernel derive "n >> (linear[m -> v] * id) @ cross_entropy[v]"
