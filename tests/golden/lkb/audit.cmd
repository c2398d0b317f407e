# report, venn and history of a small blueprint without models, and evidence that is not there
export MET_EVIDENCE=$PWD/none.sqlite
cp -r "$MET_ROOT/tests/data/blueprint" mine
cat >mine/FUSIONS.toml <<'END'
[[rule]]
id = "add_norm"
pattern = [{ op = "add", keep = true }, { op = "rmsnorm" }]
kernels = ["add_norm"]
numerics = "bit_identical"
microtest = "add_norm"
priority = 100
cite = "a page"
example = "(x: n m, y: n m) -> z { z = rmsnorm[m](add(x, y), @gain) }"

[[rule]]
id = "norm"
pattern = [{ op = "rmsnorm" }]
kernels = ["norm"]
numerics = "reference"
priority = 10
cite = "a page"

[[rule]]
id = "linear"
pattern = [{ op = "linear" }]
kernels = ["linear"]
numerics = "reference"
priority = 10
cite = "a page"
example = "(x: n m) -> y { y = linear[m -> f](x, @wq) }"
END
met lkb report --kernels mine --hardware child
echo
met circuit venn 'x: n m, y: n m
silu(linear[m -> f](rmsnorm[m](add(x, y), @gain), @wq))' --set n=3,m=8,f=4 --kernels mine --hardware child --against root,child
echo
met circuit venn 'x: n m
linear[m -> f](x, @wq)' --set n=3,m=8,f=4 --kernels mine --hardware child --against child --json
met lkb history --kernels mine
met lkb history --kernels mine --append --date 2030-01-02
met lkb history --kernels mine --append --date 2030-01-03 | head -n 1
met circuit venn 'x: n
exp(x)' --set n=3 --kernels mine --hardware child --against nobody
met lkb promote --kernels mine matmul
met lkb promote --kernels mine --hardware root matmul nothing
met lkb history --kernels mine --append
