met kernel derive 'n >> rmsnorm[m]' --stream m
