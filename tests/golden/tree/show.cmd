met tree show 'lanes16, mul_add' --n 40
met tree show 'strided 8 sequential lane then contiguous 3 pairwise split then sequential, tail after 8' --n 1003
met tree show 'contiguous [ceil(k/256)] sequential split then pairwise' --set k=1024 --n 1024
met tree show case/unit.tree --json
