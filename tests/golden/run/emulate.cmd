# a GPU's numerics by the interpreter: what went as on the class, and what did not
cat >t.met <<'END'
a: bf16[n k]
b: bf16[m k]
y = einsum['n k, m k -> n m'](a, b) : f32
END
sizes=n=2,k=40,m=2
met circuit run t.met --hardware h100-sxm --emulate --set $sizes --fill normal
met circuit run t.met --hardware b200 --emulate --set $sizes --fill normal --json
met circuit run t.met --set $sizes --fill normal
# operands that no matrix unit takes
met circuit run 'x: n k
linear[k -> m](x)' --hardware h100-sxm --emulate --set $sizes --fill normal
met circuit run 'x: n k
linear[k -> m](x)' --hardware h100-sxm --emulate --set $sizes --fill normal --out y.npy
met circuit run llama --toy --hardware h100-sxm --emulate --fill normal --dtype bf16 | sed -n '/emulated/,$p'
# what cannot be
met circuit run t.met --emulate --set $sizes --fill normal
met circuit run t.met --hardware h100-sxm --emulate --set $sizes --fill normal --planner fused
met circuit run t.met --hardware h100-sxm --emulate --set $sizes --fill normal --dtype f64
met circuit run t.met --hardware h100-sxm --emulate --set $sizes --fill normal --tiles n=2
met circuit run t.met --hardware interpreter --planner none --emulate --set $sizes --fill normal
