cp -r "$MET_ROOT/tests/data/blueprint" mine
met lkb report --forks --kernels mine >mine/FORKS.md
met lkb check --kernels mine 2>&1 | grep -c stale
echo more >>mine/FORKS.md
met lkb check --kernels mine 2>said >/dev/null
status=$?
grep -A1 stale said >&2
exit $status
