met export json --help
