# small models: prefill and one step of decoding with a cache, then an encoder
met circuit run llama --config examples/llama-tiny --set n=4 --fill wave
met circuit run llama --config examples/llama-tiny --mode decode --set c=3 --fill wave --layers 1
met circuit run bert --config examples/bert-tiny --set n=3,b=2 --fill wave --dtype f32
