# prices are of devices, and the class has none
cp -r "$MET_ROOT/tests/data/blueprint" mine
met circuit plan "rmsnorm[m]" --set m=64 --hardware child --kernels mine --planner exact
# rows and context that the circuit does not have: a mode or a toy fixes them, or nothing has such a size
try() { met circuit plan llama --toy --hardware cpu-avx2 "$@" 2>&1 >/dev/null; }
try --mode decode --rows 4
try --mode multi_seq --rows 4
try --mode decode --context 100
try --mode prefill --context 100
