met kernel derive "'q h d, x h d -> h q x' @ l2norm[x] @ 'h q x, x h d -> q h d'"
met kernel derive "'q h d, x h d -> h q x' @ l1norm[x] @ 'h q x, x h d -> q h d'"
met kernel derive "'q h d, x h d -> h q x' @ maxnorm[x] @ 'h q x, x h d -> q h d'"
