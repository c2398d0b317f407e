met kernel bench --help
