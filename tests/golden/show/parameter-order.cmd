# Parameters stand in the order of their declarations, so a listing reads back to the same circuit.
met circuit show 'x: n; y = add(@b, mul(x, @a))' > first.met
met circuit show first.met > second.met && cmp first.met second.met
met circuit show 'x: n; @a: n; @b: n; y = add(@b, mul(x, @a))' | grep '^  @'
