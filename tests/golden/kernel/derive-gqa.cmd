met kernel derive "'q g r d, x g d -> g r q x' @ scale(d^-0.5) @ softmax[x] @ 'g r q x, x g d -> q g r d'"
