# Compiled kernels print what the interpreter prints; the interpreter's default is f64.
attention="'q d, x d -> q x' @ softmax[x] @ 'q x, x d -> q d'"
met circuit run "$attention" --set q=3,x=5,d=4 --fill wave --dtype f32
met circuit run "$attention" --set q=3,x=5,d=4 --fill wave --hardware cpu-scalar --planner none
met circuit run "$attention" --set q=3,x=5,d=4 --fill wave --hardware cpu-scalar --planner none --json --dtype bf16 --threads 2 |
    sed 's/"tiles":"[^"]*"/"tiles":"…"/g'
