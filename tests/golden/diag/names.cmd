# a model's name with a slip
mkdir -p tiny/circuits
touch tiny/circuits/llama.toml tiny/circuits/qwen.toml
met circuit show lama --kernels tiny
met circuit show llama.tml --kernels tiny
