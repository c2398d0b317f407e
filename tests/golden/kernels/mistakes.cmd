# What kernels are asked wrongly.
run() { echo "-- $*"; met circuit run 'softmax[x]' "$@" 2>&1; echo "status $?"; }
diff() { echo "-- $*"; met circuit diff 'softmax[x]' --set x=4 --fill wave "$@" 2>&1; echo "status $?"; }
run --set x=4 --fill wave --threads 2
run --set x=4 --fill wave --hardware gpu
run --set x=4 --fill wave --hardware cpu-scalar --planner clever
run --set x=4 --fill wave --hardware cpu-scalar --threads 0
run --set x=4 --fill wave --hardware cpu-scalar --threads 100000
run --set x=4 --fill wave --hardware cpu-scalar --planner none --dtype f64
run --fill wave --hardware cpu-scalar
run --set x=4 --hardware cpu-scalar --planner none
run --set x=300000000 --fill wave --hardware cpu-scalar --planner none
diff --a none@cpu-scalar
diff --a none --b @cpu
diff --a fused@interpreter --b none@cpu-scalar
diff --a none@interpreter --b none@cpu-scalar --threads 1,0
diff --a none@interpreter --b none@cpu-scalar --threads 1,2,3
