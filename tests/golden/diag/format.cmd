met circuit show 'x: bf16[n m]
y: f16[n m]
add(x, y)'
met circuit show 'x: f33[n m]
exp(x)'
met circuit show 'cast(bfloat16)'
met circuit show 'y: i8/g32[n m]
@w: m f
linear[m -> f](y, @w)'
met circuit show 'embed[v -> m] @ embed[v -> m]'
met circuit show 'x: fp8/block128x128[n]
exp(x)'
