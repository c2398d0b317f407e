met kernel derive "n >> top_k[x -> 8]"
