# no maximum in the text: one is added
met kernel derive --region 's[n x]; v[x d]; c = mean[x] s; e = exp(s - c); z = sum[x] e; y = sum[x] e/z*v'
