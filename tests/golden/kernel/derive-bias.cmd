# an additive bias and a soft cap are maps before the fold
met kernel derive "(('q h d, x h d -> h q x' @ scale(d^-0.5)) * id) @ add @ softcap(20) @ softmax[x] @ 'h q x, x h d -> q h d'"
