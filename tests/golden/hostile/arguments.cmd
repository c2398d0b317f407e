# empty, huge and malformed arguments: one diagnostic each, and status 2 or 3
try() { # try STATUS met …: prints what is not as it should be
    wanted=$1
    shift
    status=0
    "$@" >out 2>err || status=$?
    [ "$status" = "$wanted" ] || echo "status $status, not $wanted: $*"
    case $status in
    0) [ ! -s err ] ;;
    *) [ ! -s out ] && grep -q '^error\[' err ;;
    esac || echo "unexpected output: $*"
}
try 2 met ''
try 2 met circuit ''
try 2 met circuit show ''
try 2 met circuit show --
try 2 met circuit show exp --set =
try 2 met circuit show exp --set ,
try 2 met circuit show 'exp ^ 99999999999999999999999999'
try 2 met circuit show 'exp ^ 18446744073709551615'
try 2 met circuit show 'exp ^ -1'
try 2 met circuit show llama --layers 99999999999
try 2 met circuit show llama --layers 4294967295
try 2 met circuit run 'x: n=18446744073709551615 m=18446744073709551615; exp(x)' --fill wave
try 0 met circuit show 'softmax[x]' --set x=281474976710656
try 2 met circuit show 'softmax[x]' --set x=281474976710657
try 2 met circuit run 'softmax[x]' --set x=281474976710656 --fill ones
try 2 met circuit run 'softmax[x]' --set x=3000 --fill ones --work-limit 1
try 2 met circuit run 'softmax[x]' --set x=3 --fill ones --work-limit 99999999999999999999999
try 0 met circuit run 'softmax[x]' --set x=3 --fill normal --seed 18446744073709551615
try 2 met circuit run 'softmax[x]' --set x=3 --fill normal --seed 18446744073709551616
for setting in x.2=3 x.=3 .2=3 x.1=3 x.99999999999999=3 x=+3 x=0x10 'x=3 4' x=-1 x==3 =; do
    try 2 met circuit show 'softmax[x]' --set "$setting"
done
try 0 met circuit show 'softmax[x]' --set ' x = 3 ,'
try 2 met circuit run exp --fill ones --in =x
try 2 met circuit run exp --fill ones --in in0
try 3 met circuit run exp --fill ones --in in0=
try 3 met circuit run exp --fill ones --in in0=.
try 3 met circuit run exp --fill ones --out v0=
try 2 met circuit run exp --fill ones --out v7=y.npy
[ ! -e y.npy ] || echo 'y.npy was written'
