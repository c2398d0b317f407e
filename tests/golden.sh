#!/bin/sh
# Runs one golden case. usage: golden.sh ROOT BIN CASE
#
# A case is a file tests/golden/CASE.cmd: shell lines that use `met`. Beside it stand CASE.out (what it must print),
# CASE.err (what it must say on stderr; none if it must say nothing) and CASE.exit (its exit status; none for 0).
# The lines run in an empty directory that holds links to examples/, kernels/ and, as case/, the directory of the case;
# MET_ROOT is the root of the repository. In outputs, that path reads $MET_ROOT.
# MET_BLESS=1 rewrites the expectations instead of checking them.
set -u
root=$1
bin=$2
case=$root/tests/golden/$3
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/run" "$scratch/got"
ln -s "$root/examples" "$scratch/run/examples"
ln -s "$root/kernels" "$scratch/run/kernels"
ln -s "$(dirname "$case")" "$scratch/run/case"

status=0
(
    cd "$scratch/run" || exit 99
    MET_DEVICES= MET_ROOT=$root PATH=$bin:$PATH LC_ALL=C TERM=dumb COLUMNS=80 sh "$case.cmd" </dev/null
) >"$scratch/out" 2>"$scratch/err" || status=$?
for stream in out err; do
    sed "s|$root|\$MET_ROOT|g" "$scratch/$stream" >"$scratch/got/$stream"
done
echo "$status" >"$scratch/got/exit"

# keep NAME CONDITION: writes the expectation, or removes it where it is the default
keep() {
    if [ "$2" = yes ]; then cp "$scratch/got/$1" "$case.$1"; else rm -f "$case.$1"; fi
}
if [ "${MET_BLESS-}" = 1 ]; then
    keep out yes
    if [ -s "$scratch/got/err" ]; then keep err yes; else keep err no; fi
    if [ "$status" != 0 ]; then keep exit yes; else keep exit no; fi
    exit 0
fi

failed=0
expect() { # expect NAME DEFAULT-CONTENT-FILE
    wanted=$case.$1
    [ -f "$wanted" ] || wanted=$2
    diff -u "$wanted" "$scratch/got/$1" || failed=1
}
: >"$scratch/nothing"
echo 0 >"$scratch/zero"
[ -f "$case.out" ] || { echo "no $case.out: run make bless, read the result, and commit it"; failed=1; }
expect out "$scratch/nothing"
expect err "$scratch/nothing"
expect exit "$scratch/zero"
[ "$failed" = 0 ] || echo "in $case.cmd (if the new output is right: make bless)"
exit "$failed"
