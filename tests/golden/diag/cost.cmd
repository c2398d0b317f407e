a="'a b, b c -> a c'"
met circuit cost "$a" --levels M
met circuit cost "$a" --levels M=0
met circuit cost "$a" --levels M=1.5
met circuit cost "$a" --levels L2=1MiB,L1=100
met circuit cost "$a" --levels L1=1KiB,L2=1MiB
met circuit cost "$a" --levels M=100 --hardware cpu-scalar
met circuit cost "$a" --hardware cpu-none
met circuit cost "$a" --granule tile
met circuit cost "$a" --granule tile=0
met circuit cost "$a" --granule d=4
met circuit cost "$a" --liveness some
met circuit cost "$a" --nesting loose
met circuit cost "$a" --planner best
met circuit cost "$a" --dtype i8
met circuit cost "$a" --division never
met circuit cost "$a" --curve M=1e7..1e3
met circuit cost "$a" --curve M=1e3..1e7
met circuit cost "$a" --set a=9,b=9,c=9 --levels M=16 -o a.svg
met circuit cost "$a" --set a=4000000000,b=4000000000,c=4000000000 --levels M=1000
