met kernel derive "n >> rmsnorm[m] @ linear[m -> o]"
met kernel derive "n >> layernorm[m] @ linear[m -> o]"
