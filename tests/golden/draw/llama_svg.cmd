met circuit draw case/llama.met --format svg
