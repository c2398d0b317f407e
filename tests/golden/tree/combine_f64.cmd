# blocks of 32 lanes in f32, what is left in f64 with rounded products, and both added in f64
met tree show 'strided 32 sequential then pairwise, tail apart 32, mul_add, combine f64' --n 70
met tree show 'lanes4, combine f64' --json | grep precision
met tree compare 'lanes2, combine f64' lanes2 --n 9
met tree compare 'lanes4, combine f64' lanes4 --n 4
met tree compare 'lanes4, combine f64' 'contiguous n/1 sequential then pairwise, combine f64' --n 4 --dtype f16 --json | head -5
met tree show 'lanes4, combine f64, rz'
