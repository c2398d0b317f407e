met kernel derive 'exp' --static n
