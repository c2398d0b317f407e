# a name that is no axis
met kernel derive --region 'y = sum[x] a' --stream z
