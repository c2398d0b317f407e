# what a configuration says too large is pointed at where it says it
try() { sed "$1" kernels/models/llama-3.1-8b/config.json >config.json; met circuit show llama --config config.json; }
try 's/"num_hidden_layers": 32/"num_hidden_layers": 1000000/'
try 's/"vocab_size": [0-9]*/"vocab_size": 4611686018427387904/'
try 's/"rms_norm_eps": [^,]*/"rms_norm_eps": -1/'
