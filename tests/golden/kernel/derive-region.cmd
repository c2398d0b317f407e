met kernel derive --region 's[n x]; v[x d]; m = max[x] s; e = exp(s - m); z = sum[x] e; p = e/z; y = sum[x] p*(s - m - log(z))'
