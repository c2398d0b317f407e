met kernel derive --region 'm = mean[x] a; y = sum[x] abs(a - m)'
