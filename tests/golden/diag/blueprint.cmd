cp -r "$MET_ROOT/tests/data/blueprint" mine
cat >>mine/FUSIONS.toml <<'END'

[[rule]]
id = "twice"
pattern = [{ op = "rmsnorm", sibling = true }]
kernels = ["norm"]
numerics = "bit_identical"
priority = 1
cite = "a page"
END
met lkb check --kernels mine
