met model run llama --toy --way none@interpreter --logits 2 --tokens 3
met model run qwen3 --toy --way none@interpreter --tokens 4 --prompt '1 2,3' --prompt 36 --dtype bf16
printf '# two prompts\n1, 2\n\n3 4 5 # the second\n' >prompts
met model run bamba --toy --way none@interpreter --tokens 2 --prompts prompts --seed 5
met model run llama --toy --way none@interpreter --tokens 1 --prompt 1,2 --logits 2 --json
