# a family that adds up in bf16: its plans are refused, by rules that do not say that they do so, and pass by one that does
cp -r "$MET_ROOT/kernels" mine
families=mine/classes/hopper/KERNEL_FAMILIES.toml
sed -i '/^pipeline.linear/s/accumulate = "f32"/accumulate = "bf16"/' "$families"
met circuit plan llama --toy --mode decode --kernels mine --hardware h100-sxm >out
status=$?
sed -i '/^id = "linear"$/,/^priority/s/^priority/departs = { accumulate = "bf16" }\n&/' mine/FUSIONS.toml
met circuit plan llama --toy --mode decode --kernels mine --hardware h100-sxm --planner none >out || echo "refused still"
# a departure that a rule says and that does not happen
cp -r "$MET_ROOT/tests/data/blueprint" small
rule() { # rule ID FORMAT
    printf '\n[[rule]]\nid = "%s"\npattern = [{ op = "add", holds = "bf16" }, { op = "rmsnorm" }]\nkernels = ["add_norm"]\n' "$1"
    printf 'numerics = "differs"\nlever = "rescale"\ndeparts = { out = "%s" }\npriority = 5\ncite = "a page"\n' "$2"
    printf 'example = "(x: n m, y: n m) -> z { z = rmsnorm[m](add(x, y), @gain) }"\n'
}
{ rule happens bf16; rule never f16; } >>small/FUSIONS.toml
met lkb check --kernels small --hardware child 2>said
grep -A3 'precision' said >&2
exit $status
