met circuit draw case/llama.met --format terminal --width 100
