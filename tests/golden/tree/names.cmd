met tree show foo
met tree show 'lanes16, slow' --n 8
met tree show foo@hopper 2>&1 | cut -c1-60
met tree compare '((0 1) 2)' sequential --n 4
met tree compare lanes4 sequential
