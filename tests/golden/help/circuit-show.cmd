met circuit show --help
