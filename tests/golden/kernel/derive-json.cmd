met kernel derive --json --region 'm = max[x] s; e = exp(s - m); z = sum[x] e; y = sum[x] (e/z)*v'
