# change FILE SCRIPT: what `met lkb check` says of tests/data/blueprint with one of its files changed by sed
change() {
    rm -rf mine
    cp -r "$MET_ROOT/tests/data/blueprint" mine
    sed "$2" "$MET_ROOT/tests/data/blueprint/$1" >"mine/$1"
    cmp -s "mine/$1" "$MET_ROOT/tests/data/blueprint/$1" && echo "nothing changed: $2"
    printf '%s\n' "# $2"
    met lkb check --kernels mine 2>&1 || true
}
# overlay FILE: the same with standard input as FILE of the class `child`
overlay() {
    rm -rf mine
    cp -r "$MET_ROOT/tests/data/blueprint" mine
    mkdir -p "mine/classes/$2"
    cat >"mine/classes/$2/$1"
    printf '# %s of %s\n' "$1" "$2"
    met lkb check --kernels mine 2>&1 || true
}
