# every error of PRECISION.toml, and of what rules and families say that they do in less
. "$MET_ROOT/tests/golden/lkb/change.sh"
change PRECISION.toml 's/^gather/gahter/'
change PRECISION.toml '/^gather/d'
change PRECISION.toml 's/^gather.*/gather = 32/'
change PRECISION.toml 's/^gather.*/gather = "f31"/'
change PRECISION.toml 's/^gather.*/gather = "weight"/'
change PRECISION.toml 's/^gather.*/gather = "result"/'
change PRECISION.toml 's/^out.*/out = "inputs"/'
change PRECISION.toml 's/^out.*/out = "f32"/'
change PRECISION.toml 's/^weight.*/weight = "f32"/'
change PRECISION.toml 's/^mma.*/mma = "operand"/'
change PRECISION.toml 's/^\[step\]/[steps]/'
change PRECISION.toml 's/^linear.*/linear = "acumulate"/'
change PRECISION.toml 's/^linear.*/lineer = "accumulate"/'
change PRECISION.toml 's/^linear.*/linear = []/'
change KERNEL_FAMILIES.toml 's/^core = .*/&\ndeparts = { compute = "bf16" }/'
change KERNEL_FAMILIES.toml 's/^core = .*/&\ndeparts = { compute = "f32" }/'
change KERNEL_FAMILIES.toml 's/^core = .*/&\ndeparts = { compute = "f33" }/'
change KERNEL_FAMILIES.toml 's/^core = .*/&\ndeparts = { computes = "f32" }/'
change KERNEL_FAMILIES.toml 's/^core = .*/&\ndeparts = { }/'
change KERNEL_FAMILIES.toml 's/^core = .*/&\ndeparts = "compute"/'
change FUSIONS.toml 's/^microtest.*/&\ndeparts = { out = "bf17" }/'
overlay PRECISION.toml child <<'T'
[step]
acumulate = "f64"
T
overlay PRECISION.toml nobody <<'T'
[step]
accumulate = "f64"
T
# where scales are multiplied
change KERNEL_FAMILIES.toml 's/^core = .*/&\nscales = "first"/'
