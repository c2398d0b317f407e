met tree reveal --lib ./none.so --symbol cblas_sdot --n 8
met tree reveal --lib ./none.so --symbol my_dot --n 8
met tree reveal --lib ./none.so --symbol my_dot --signature 'float (int n, float *x, float *y)' --n 8
${CC:-cc} -fPIC -shared -o faults.so "$MET_ROOT/tests/data/foreign/faults.c"
met tree reveal --lib ./faults.so --symbol absent --signature 'sum f32' --n 8
met tree reveal --lib ./faults.so --symbol crashes --signature 'sum f32' --n 8
met tree reveal --lib ./faults.so --symbol hangs --signature 'sum f32' --n 8 --limit 0.2
met tree reveal --command 'false {in} {out}' --n 8
met tree reveal --command 'true {out}' --n 8
