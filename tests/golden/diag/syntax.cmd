# brackets, quotes and signs
met circuit show 'softmax[x'
met circuit show 'softmax[x]]'
met circuit show '(exp @ log'
met circuit show "'q h d, x h d -> h q x @ softmax[x]"
met circuit show "'q h d, x h d' @ softmax[x]"
met circuit show 'exp @'
met circuit show 'exp @ @ log'
met circuit show 'exp log'
met circuit show '2x'
met circuit show 'softmax{x}'
met circuit show 'exp + log'
met circuit show ''
met circuit show 'softmax[x](s, scale=2, s)'
met circuit show '# only a comment'
