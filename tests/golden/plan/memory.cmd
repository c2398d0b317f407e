# what stays in memory, by whichever option the sizes are given: as many sequences as the circuit has, each with its caches
plan() { echo "$@"; met circuit plan "$@" --hardware h200-sxm | sed -n '/^plan/p; /^memory/,/^digest/{/^digest/!p;}'; }
plan llama-3.1-8b --layers 2 --mode multi_seq --rows 16
plan llama-3.1-8b --layers 2 --mode multi_seq --set b=16,c=4096
plan bamba-9b --layers 10 --mode multi_seq --set b=16,c=4096
# a toy fixes both: what is cached is what attention reads
plan llama --toy --mode decode
plan llama --toy --mode multi_seq
# windows do not cut caches
plan gemma-2-9b --layers 2 --mode decode --context 100000
plan gemma-2-9b --layers 2 --mode decode --context 1000
