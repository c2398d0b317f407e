# where a normalizer that meets a contraction divides; the bf16 dot product
met circuit run "s: q x, v: x d
'q x, x d -> q d'(softmax[x](s), v)" --set q=1,x=40,d=2 --fill normal --dtype f32 --json
met circuit run "s: q x, v: x d
'q x, x d -> q d'(softmax[x](s), v)" --set q=1,x=40,d=2 --fill normal --dtype f32 --division eager --json
met circuit run "s: q x, v: x d
'q x, x d -> q d'(rmsnorm[x](s), v)" --set q=1,x=40,d=2 --fill normal --dtype f32 --division deferred --json
met circuit run "s: q x, v: x d
'q x, x d -> q d'(s, v)" --set q=1,x=41,d=2 --fill normal --dtype bf16 --dot pairs --json
