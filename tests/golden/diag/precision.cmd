# a family that adds up in bf16: its plans are refused, by rules that do not say that they differ
cp -r "$MET_ROOT/kernels" mine
sed -i '/^pipeline.linear/s/accumulate = "f32"/accumulate = "bf16"/' mine/classes/hopper/KERNEL_FAMILIES.toml
met circuit plan llama --toy --mode decode --kernels mine --hardware h100-sxm >out
