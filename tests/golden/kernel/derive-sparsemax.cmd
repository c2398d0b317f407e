met kernel derive --region 't = sparsemax_threshold[x] s; y = sum[x] relu(s - t)*v'
