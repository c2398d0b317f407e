cp -r "$MET_ROOT/tests/data/blueprint" mine
met lkb check --kernels mine --hardware child
