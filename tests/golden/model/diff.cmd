met model diff llama --toy --a none@interpreter --dtype-b f32 --tokens 4
met model diff llama --toy --a none@interpreter --dtype-b bf16 --tokens 16
met model diff llama qwen3 --toy --a none@interpreter --tokens 2 --prompt-count 1 --seed-b 3
met model diff llama-3.1-8b-fp8 --toy --a none@interpreter --dtype-b bf16 --tokens 1 --prompt-count 1
met model diff llama --toy --a none@interpreter --dtype-b bf16 --tokens 1 --prompt 5,6 --json | sed 's/"divergence": [0-9.e-]*/"divergence": …/g'
met model diff llama --toy --a none@interpreter --b none@interpreter --tokens 1 --prompt 5 --json
# a device that this machine is not
met model diff llama --toy --dtype bf16 --a greedy@h100-sxm --b none@interpreter --tokens 1 --prompt-count 1 | grep -e '^a ' -e 'run by a'
# what nobody declares may be otherwise, which is no difference
met model diff llama --toy --a greedy@h100-sxm --b none@interpreter --tokens 1 --prompt-count 1 | sed -n '/^expected/,/^tier/p'
