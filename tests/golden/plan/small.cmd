# a blueprint of a few rules: what fits, what lost and why, the digest is that of the text
cp -r "$MET_ROOT/tests/data/blueprint" mine
cat >block.met <<'END'
x: n m
h: n m
q = linear[m -> k](x, @wq)
y = add(x, h)
u = rmsnorm[m](y, @g)
-> q, y, u
END
plan="met circuit plan block.met --set n=4,m=64,k=32 --hardware box --kernels mine"
$plan --explain --partial
$plan --partial --planner none --format json | head -12
test "$($plan --partial --format text | sha256sum)" = "$($plan --partial | sed -n 's/^digest    //p')  -" || echo "the digest is not that of the text"
$plan --partial --format text
