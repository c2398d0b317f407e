met circuit --help
met export -h
