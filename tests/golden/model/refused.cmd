met model run
met model run lama --toy
met model run llama
met model run llama-3.1-8b
met model run bert --toy
met model run llama --toy --config examples/llama-tiny
met model run llama --toy --tokens 0
met model run llama --toy --tokens 4096
met model run llama --toy --logits 101
met model run llama --toy --threads 0
met model run llama --toy --way fused
met model run llama --toy --checkpoint none.safetensors
met model diff llama --toy
met model diff llama --toy --config-b examples/llama-tiny
met model diff llama qwen3 gemma2 --toy
met model diff llama --config examples/llama-tiny --config-b examples/mistral-tiny --a none@interpreter
