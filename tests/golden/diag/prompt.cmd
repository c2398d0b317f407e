met model run llama --toy --prompt 1,2,37
met model run llama --toy --prompt 1,two
met model run llama --toy --prompt -1
met model run llama --toy --prompt 18446744073709551616
met model run llama --toy --prompt ''
printf '# none\n' | met model run llama --toy --prompts -
printf '1 2\n3 x\n' | met model run llama --toy --prompts -
met model run llama --toy --prompts none
met model run llama --toy --prompt 1 --prompts none
met model run llama --toy --prompt-count 0
met model run llama --toy --prompt-count 1001
met model run llama --toy --prompt-count 1000 --tokens 1000
