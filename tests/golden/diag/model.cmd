met circuit show llama --mode training
met circuit show llama --layers 0
printf '[arch]\nname = "tiny"\n' >tiny.toml
met circuit show tiny.toml
