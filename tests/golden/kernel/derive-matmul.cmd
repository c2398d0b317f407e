met kernel derive "'a b, b c -> a c'"
