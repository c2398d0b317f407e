met circuit draw --help
