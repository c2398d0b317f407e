met kernel derive --json --region 'n = sum[x] s*s; y = sum[x] tanh(s/sqrt(n))*w'
