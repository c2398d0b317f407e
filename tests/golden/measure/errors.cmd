# what met kernel bench and met hw probe refuse
export XDG_DATA_HOME=$PWD/data
try() { "$@"; echo "exit $?"; }
try met kernel bench 'softmax[x]' --set x=4 --store e.sqlite
try met kernel bench 'softmax[x]' --set x=4 --rows 1,,2
try met kernel bench 'softmax[x]' --set x=4 --rows 1,0
try met kernel bench 'softmax[x]' --set x=4 --rows 2
try met kernel bench 'softmax[x]' --rows 2
try met kernel bench 'softmax[x]' --set x=4 --threads 0
try met kernel bench 'softmax[x]' --set x=4 --repeats 102
try met kernel bench 'softmax[x]' --set x=4 --hardware h200-sxm
try met kernel bench 'softmax[x]' --set x=4 --record --store none/e.sqlite
try met kernel bench 'softmax[x]' --set x=4 --cost measured
try met kernel bench 'softmax[x]' --set x=4 --planner exact --cost nodes
try met kernel bench 'softmax[x]' --set x=4 --planner exact --cost measured --device none
try met hw probe --hardware gpu
try met hw probe --name 'two words'
try met hw probe --json -o -
try met hw probe extra
ls
