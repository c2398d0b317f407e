# numbers beyond what is read, and counts beyond what a program may ask for
met circuit show 'softmax[x] @ scale(99999999999999999999)'
met circuit show 'softmax[x] @ scale(1e999)'
met circuit show 'exp ^ 10000000'
met circuit show 'copy(5000)'
met circuit show '(((exp ^ 1000) ^ 1000) ^ 1000)'
