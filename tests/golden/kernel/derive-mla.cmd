# keys and values are one latent array, read twice
met kernel derive "(id * copy(2)) @ (('q h c, x c -> h q x' @ softmax[x]) * id) @ 'h q x, x c -> q h c'"
met kernel derive "attention(q: q h c, r: q h p, c: x c, k: x p) -> y { s = add('q h c, x c -> h q x'(q, c), 'q h p, x p -> h q x'(r, k)); w = softmax[x](scale(s, c^-0.5)); y = 'h q x, x c -> q h c'(w, c) }"
