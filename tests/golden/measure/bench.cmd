# the form of what is said; times, and digests that depend on the compiler, are struck out
export XDG_DATA_HOME=$PWD/data MET_CPUINFO=cpuinfo
printf 'model name\t: Some (R) Processor\nflags\t\t: fma\n' >cpuinfo
times='s/"\(warm_s\|cold_s\|median_s\|min_s\|spread\|samples\|kernel\|joules\|energy\|computes\|family\|point\)":[^,}]*/"\1":T/g'
met kernel bench 'softmax[x] @ exp' --set x=4 --planner none --hardware cpu-scalar --threads 1 --unpinned --repeats 1 --json \
    --record | sed "$times" | tr '{' '\n'
met kernel bench "'n m, m -> n'" --set m=4 --rows 1,3 --hardware cpu-scalar --threads 1 --repeats 1 |
    sed 's/[0-9.]* [nmu]s ±[ 0-9]*%/T/g; s/[0-9.]* [nmu]s/T/g; s/^energy.*/energy/; s/  */ /g'
met kernel bench 'softmax[x]' --set x=4 --hardware cpu-scalar --threads 1 --repeats 1 --record --device mine --store e.sqlite |
    tail -1
ls data/met e.sqlite
