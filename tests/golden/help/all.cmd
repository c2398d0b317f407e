met --help
met help
