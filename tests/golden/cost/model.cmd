# the layers of a model are alike
met circuit cost llama --config examples/llama-tiny --set n=32 --hardware cpu-avx512 --planner none | sed '/^In all/,$d'
