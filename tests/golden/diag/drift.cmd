cp -r "$MET_ROOT/tests/data/blueprint" mine
met lkb check --kernels mine --hardware root 2>said >/dev/null
status=$?
grep -A4 -e 'drift.*scan' -e 'drift.*row_norm' said | head -n 12 >&2
exit $status
