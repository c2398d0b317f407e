met kernel derive --region 'S = scan[x] (a*S + k*v)'
met kernel derive --region 'h = scan[x] tanh(a*h + b)'
