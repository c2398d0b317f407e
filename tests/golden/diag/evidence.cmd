# a file that is no database, which is left alone
printf 'this is not a store of measurements\n' >text
bench() { met kernel bench 'softmax[x]' --set x=4 --record --store "$1"; }
bench text
cat text
# a directory is none either
bench kernels
