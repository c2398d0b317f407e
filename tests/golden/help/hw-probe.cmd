met hw probe --help
