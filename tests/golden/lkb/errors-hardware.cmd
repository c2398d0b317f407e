# every error of HARDWARE.toml, DEVICES.toml and of what classes change
. "$MET_ROOT/tests/golden/lkb/change.sh"
change HARDWARE.toml 's/inherits = "root"/inherits = "rot"/'
change HARDWARE.toml 's/realizes = "cpu-scalar"/inherits = "child"/'
change HARDWARE.toml 's/inherits = "root"/inherits = "child"/'
change HARDWARE.toml 's/realizes = "cpu-scalar"/realizes = "cpu-scaler"/'
change HARDWARE.toml 's/residual = "bf16", rescale = "off"/rescale = "off"/'
change HARDWARE.toml 's/residual = "bf16"/residual = "f16"/'
change HARDWARE.toml 's/residual = "bf16"/residul = "bf16"/'
change HARDWARE.toml 's/capabilities = \["fma"\]/capabilities = ["fna"]/'
change HARDWARE.toml 's/capabilities = \["unit"\]/without = ["unit"]/'
change HARDWARE.toml 's/^capabilities = \["fma"\]/&\nabsent = { lineer = "a reason" }/'
change HARDWARE.toml 's/^capabilities = \["fma"\]/&\nabsent = { linear = "" }/'
change HARDWARE.toml 's/^capabilities = \["fma"\]/&\nresidual = ["linear"]/'
change HARDWARE.toml 's/^capabilities = \["fma"\]/&\nmatrix_units = ["add"]/'
change HARDWARE.toml 's/^summary = "the first"//'
change HARDWARE.toml 's/values = \["bf16", "f32"\]/values = []/'
change HARDWARE.toml 's/^\[class.child\]/[class."a child"]/'
change DEVICES.toml 's/class = "root"/class = "rooot"/'
change DEVICES.toml 's/^levels.*/levels = []/'
change DEVICES.toml 's/bytes_per_s = 1e12/bytes_per_s = 0/'
change DEVICES.toml 's/name = "dram"/name = "l1"/'
change DEVICES.toml 's/usable = 0.9/usable = 1.5/'
change DEVICES.toml 's/usable = 0.9/usable = nan/'
change DEVICES.toml 's/units = 4/units = 0/'
change DEVICES.toml 's/f32 = 1e11//'
change DEVICES.toml 's/f32 = 1e11/f31 = 1e11/'
change DEVICES.toml 's/launch_s = 1e-6/launch_s = -1/'
change DEVICES.toml 's/^source.*//'
change DEVICES.toml 's/^source.*/&\njoule_per_byte = 1e-11/'
change DEVICES.toml 's/memory_bytes = 1073741824/memory_bytes = "1 GiB"/'
change DEVICES.toml 's/memory_bytes = 1073741824/memory_bytes = 1e9/'
change DEVICES.toml 's/memory_bytes = 1073741824/memory_bytes = 1/'
change DEVICES.toml 's/capacity_bytes = 32768/capacity_bytes = 18000000000000/'
change DEVICES.toml 's/f32 = 1e11/f32 = 3.6e40/'
change DEVICES.toml 's/usable = 0.9/usable = 90/; s/^source.*//; s/units = 4/units = 0/'
overlay FUSIONS.toml child <<'END'
remove = ["lineer"]
END
overlay KERNEL_FAMILIES.toml child <<'END'
remove = ["matmull"]
END
overlay FUSIONS.toml children <<'END'
remove = ["linear"]
END
overlay KERNEL_FAMILIES.toml child <<'END'
[roles]
q = ["wq"]
END
rm -rf mine
cp -r "$MET_ROOT/tests/data/blueprint" mine
mkdir -p mine/classes/child
echo 'remove = ["row_norm"]' >mine/classes/child/KERNEL_FAMILIES.toml
cat >mine/classes/child/FUSIONS.toml <<'END'
[[rule]]
id = "norm"
pattern = [{ op = "rmsnorm" }]
kernels = ["norm"]
numerics = "reference"
priority = 20
cite = "a page"
END
met lkb check --kernels mine 2>&1
printf '[[device]]\nid = "box"\n' >more.toml
met lkb check --kernels "$MET_ROOT/tests/data/blueprint" --device-file more.toml 2>&1
met lkb check --kernels "$MET_ROOT/tests/data/blueprint" --device-file "$MET_ROOT/tests/data/blueprint/DEVICES.toml" 2>&1
met hw show boks --kernels "$MET_ROOT/tests/data/blueprint" 2>&1
