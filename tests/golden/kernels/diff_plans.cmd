# Plans of whole ops, compared group by group and then by their bytes; a class without kernels here is only planned. How the
# blueprint's rules cut the model is no business of this case.
met circuit diff llama --toy --mode decode --a greedy@cpu-scalar --b exact@cpu-scalar --dtype bf16 --fill wave |
    sed -n 's/: [0-9]* groups, [0-9.]* us and [0-9.]* kB/: … groups, … us and … kB/p; /^expected/p; /values have/p; /^the same/p'
met circuit diff llama --toy --mode decode --a exact@cpu-scalar --b exact@h200-sxm --fill wave --json |
    grep -o '"runs":[a-z]*\|"device":"[^"]*"'
