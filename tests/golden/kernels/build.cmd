# The header; and what cannot be asked.
met kernel build "'q d, x d -> q x' @ softmax[x] @ 'q x, x d -> q d'" --set q=3,x=5,d=4 --hardware cpu-scalar --planner none -o attention.c
sed "s/(size_t)[0-9]* + (size_t)(threads) \* [0-9]*/…/" attention.h
ls
fails() { echo "-- $*"; met kernel build "softmax[x]" "$@" 2>&1; echo "status $?"; }
fails --set x=4
fails --set x=4 -o attention.txt
fails --set x=4 -o 2nd.c
fails --set x=4 -o kernel.c --name 'f(x)'
fails --set x=4 -o int.c
fails --set x=4 -o no/such/directory/kernel.c --planner none
fails -o kernel.c
ls
