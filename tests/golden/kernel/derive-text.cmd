# a region text that does not follow the grammar
met kernel derive --region 'y = sum[x] (a + '
met kernel derive --region 'y = z; z = sum[x] a'
met kernel derive --region 'y = sum[x] a; y = 3'
met kernel derive --region 'y = frobnicate(a)'
met kernel derive --region 'y = exp(a, b)'
