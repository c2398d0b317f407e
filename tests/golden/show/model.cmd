# an architecture alone, and with the sizes of a model
met circuit show llama --layers 1
met circuit show llama --config examples/llama-tiny --layers 1 --mode decode
