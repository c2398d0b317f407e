# a rule is said to have lost to one that came before it, never to one of lower priority
cp -r "$MET_ROOT/kernels" mine
sed -i 's/^kernels = \["linear_add"\]/&\nrows = [1, 2]/' mine/FUSIONS.toml
met circuit plan llama --toy --mode prefill --rows 5 --hardware gb10 --kernels mine --explain | grep -A1 -e '- add_norm:'
