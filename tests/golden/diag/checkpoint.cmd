# a checkpoint that does not fit, and files that are none
put() { printf "\\$(printf %03o ${#1})\0\0\0\0\0\0\0%s%s" "$1" "$2" >"$3"; }
put '{"w":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"v":{"dtype":"U8","shape":[1],"data_offsets":[4,5]}}' abcde x.safetensors
put '{"w":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}' abc short.safetensors
met circuit run 'x: n m
rmsnorm[k](linear[m -> k](x, @w), @g)' --set n=2,m=3,k=2 --fill wave --checkpoint x.safetensors
met circuit run 'x: n m
linear[m -> k](x, @w)' --set n=2 --fill wave --checkpoint x.safetensors
met circuit run 'x: n m
linear[m -> k](x, @w)' --set n=2,m=2,k=2 --fill wave --checkpoint short.safetensors
met circuit run 'x: n m
linear[m -> k](x, @w)' --set n=2,m=2,k=2 --fill wave --checkpoint .
