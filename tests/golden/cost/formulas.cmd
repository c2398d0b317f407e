# with free sizes there are formulas, in the circuit's names
met circuit cost "'q d, x d -> q x' @ softmax[x] @ 'q x, x e -> q e'"
met circuit cost 'f(x: n m) -> y { y = logsumexp[v](linear[m -> v](x)) }' --planner fused
met circuit cost 'f(x: n m) -> y { y = logsumexp[v](linear[m -> v](x)) }' --planner fused --json
