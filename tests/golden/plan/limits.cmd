# where matches, regions and states are too many to look at them all, the exact planner ends, says so, and is no dearer than greedy
cp -r "$MET_ROOT/kernels" mine
cat >>mine/FUSIONS.toml <<'RULES'

[[rule]]
id = "five_siblings"
pattern = [{ op = "relu", keep = true }, { op = "relu", sibling = true, keep = true }, { op = "relu", sibling = true, keep = true }, { op = "relu", sibling = true, keep = true }, { op = "relu", sibling = true, keep = true }]
kernels = ["map"]
numerics = "bit_identical"
microtest = "five_siblings"
priority = 300
cite = "docs/lowering.md"

[[rule]]
id = "never"
pattern = [{ op = "relu", keep = true }, { op = "relu", sibling = true, keep = true }, { op = "relu", sibling = true, keep = true }, { op = "relu", sibling = true, keep = true }, { op = "relu", sibling = true, keep = true }, { op = "relu", sibling = true, keep = true }, { op = "relu", sibling = true, keep = true }, { op = "relu", sibling = true, keep = true }, { op = "relu", sibling = true, keep = true }, { op = "silu" }]
kernels = ["map"]
numerics = "bit_identical"
microtest = "never"
priority = 290
cite = "docs/lowering.md"
RULES
# wide N: N relus of one value in one block, then their sum
wide() {
    seq 0 $(($1 - 1)) | sed 's/.*/  v& = relu(x)/'
    echo '  s0 = add(v0, x)'
    seq 1 $(($1 - 1)) | while read -r i; do echo "  s$i = add(s$((i - 1)), v$i)"; done
}
plan() { met circuit plan wide.met --hardware h200-sxm --kernels mine --format json --planner "$1"; }
seconds() { sed -n 's/^  "price": {.*"seconds": \([^,]*\),.*/\1/p'; }
for n in 5 18; do
    { echo "blk(x: n m) -> s$((n - 1)) {"; wide $n; echo '}'; echo 'x: n=16 m=64'; echo 'y = blk(x)'; } >wide.met
    plan exact >exact
    awk "BEGIN { print $n, $(seconds <exact) <= $(plan greedy | seconds) ? \"no dearer\" : \"dearer\" }"
    sed -n 's/.*\("proven": [a-z]*\).*/\1/p' exact
done
