cp -r "$MET_ROOT/tests/data/blueprint" mine
met circuit plan "rmsnorm[m]" --set m=64 --hardware box --kernels mine --setting residul=f32
# a value that the setting does not have; a lever is a setting that may be on
try() { met circuit plan llama --toy --mode verify --hardware cpu-scalar "$@" 2>&1 >/dev/null; }
try --setting verify=batchd
try --lever verify
