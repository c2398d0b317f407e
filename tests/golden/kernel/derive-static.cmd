met kernel derive --region 'q = sum[x] a*a; r = rsqrt(q/n + eps); y = sum[x] a*r*g*w' --stream x --static n,eps
