# one rule stores what the next does not read
cp -r "$MET_ROOT/tests/data/blueprint" mine
cat >>mine/FUSIONS.toml <<'END'

[[rule]]
id = "norm_fp8"
pattern = [{ op = "rmsnorm", writes = "fp8/tensor" }]
kernels = ["norm"]
numerics = "differs"
lever = "rescale"
priority = 200
cite = "a page"
END
met circuit plan "rmsnorm[m] @ rmsnorm[m]" --set m=64 --hardware box --kernels mine --lever rescale
