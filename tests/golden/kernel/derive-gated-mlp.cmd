met kernel derive "n >> copy(2) @ ((linear[m -> f] @ silu) * linear[m -> f]) @ mul @ linear[f -> m]" --stream f
