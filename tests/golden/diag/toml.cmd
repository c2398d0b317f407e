printf 'name = "tiny"\nlayers = = 3\n' >tiny.toml
met circuit show tiny.toml
