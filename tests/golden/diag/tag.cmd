# on a class that is planned for only, the trees that families declare are compared
cp -r "$MET_ROOT/tests/data/blueprint" mine
sed -i 's/"add_norm"\]/"add_norm", "add_norm_library"]/
s/^tree = "rows16"/tree = { norm = "rows16", add_norm = "rows16", add_norm_library = "undeclared" }/' mine/KERNEL_FAMILIES.toml
rule() { # rule ID PATTERN KERNEL TAG EXAMPLE
    printf '\n[[rule]]\nid = "%s"\npattern = [%s]\nkernels = ["%s"]\n%s\npriority = 5\ncite = "a page"\nexample = "%s"\n' \
        "$1" "$2" "$3" "$4" "$5" >>mine/FUSIONS.toml
}
equation() { printf 'numerics = "bit_identical"\nmicrotest = "%s"' "$1"; }
norm='(x: n m, y: n m) -> z { z = rmsnorm[m](add(x, y), @gain) }'
rule same '{ op = "add" }, { op = "rmsnorm" }' add_norm 'numerics = "reference"' "$norm"
rule held '{ op = "add", holds = "bf16" }, { op = "rmsnorm" }' add_norm "$(equation held)" "$norm"
rule undeclared '{ op = "add" }, { op = "rmsnorm" }' add_norm_library "$(equation undeclared)" "$norm"
rule right '{ op = "add" }, { op = "rmsnorm" }' add_norm "$(equation right)" "$norm"
met lkb check --kernels mine --hardware child 2>said
status=$?
sed '/unmatched/,/help/d' said >&2
exit $status
