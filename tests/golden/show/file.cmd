# a program of its own kind of file, with a definition that is used twice and states
met circuit show case/block.met
