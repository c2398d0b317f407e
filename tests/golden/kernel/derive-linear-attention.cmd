met kernel derive "(id * (exp * id) @ 'x f, x d -> f d') @ 'q f, f d -> q d'" --stream x
