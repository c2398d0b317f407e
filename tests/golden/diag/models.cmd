mkdir -p k/models/x
ln -s "$MET_ROOT/kernels/circuits" k/circuits
cp "$MET_ROOT/kernels/models/qwen3-8b/config.json" k/models/x/
try() { printf "$1" >k/models/x/model.toml; met circuit show x --kernels k; }
try '[model]\nname = "y"\narch = "qwen3"\n'
try '[model]\nname = "x"\n'
try '[model]\nname = "x"\narch = "qwen"\n'
try '[model]\nname = "x"\narch = "qwen3"\nformat = "fp9"\n'
try '[model]\nname = "x"\narch = "qwen3"\nformat = "fp8/block128x128"\n'
try '[model]\nname = "x"\narch = "qwen3"\nsize = 8\n'
try '[model]\nname = "x"\narch = "qwen3"\nconfig = "none.json"\n'
try '[model]\nname = "x"\narch = "qwen3"\nconfig = "../config.json"\n'
try '[model]\nname = "x"\narch = "qwen3"\n[weights]\nwp = "fp8/block128x128"\n'
try '[model]\nname = "x"\narch = "qwen3"\n[weights]\nwq = "i32"\ntok_embeddings = "fp8/block128x128"\n'
met circuit show x --kernels k --config k/models/x
try '[model]\nname = "x"\narch = "qwen3"\n[activations]\nlinear = "fp8/g128"\n'
try '[model]\nname = "x"\narch = "qwen3"\n[weights]\nwq = "fp8/tensor"\n[activations]\nlinear = "fp8/block128x128"\n'
try '[model]\nname = "x"\narch = "qwen3"\n[weights]\nwq = "fp8/tensor"\n[activations]\nlinear = "bf16"\n'
try '[model]\nname = "x"\narch = "qwen3"\n[weights]\nwq = "fp8/tensor"\n[activations]\nlinear = "fp8/g100"\n'
try '[model]\nname = "x"\narch = "qwen3"\n[weights]\nwq = "fp8/tensor"\n[activations]\nwq = "fp8/tensor"\n'
printf '[model]\nname = "x"\narch = "qwen3"\n[toy]\nwidth = 8\n' >k/models/x/model.toml
met circuit show x --toy --kernels k
