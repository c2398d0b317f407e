# --cost measured: of what nothing was measured the model speaks, and it is said; what cannot be measured is refused
mkdir devices
export MET_DEVICES=$PWD/devices MET_EVIDENCE=$PWD/e.sqlite
cat >devices/mine.toml <<'END'
[[device]]
id = "mine"
class = "cpu-scalar"
levels = [{ name = "dram", capacity_bytes = 1000000000, bytes_per_s = 1e9 }]
peak = { f32 = 1e9 }
launch_s = 1e-6
units = 1
memory_bytes = 1000000000
usable = 0.9
source = "a test"
END
plan() { met circuit plan 'softmax[x] @ exp' --set x=4 --hardware "$1" --planner none --cost measured | grep '^time'; }
plan mine
plan h200-sxm
met kernel bench 'softmax[x] @ exp' --set x=4 --hardware mine --planner ops --repeats 1 --record | sed -n 's/ in .*//; /recorded/p'
plan mine | sed 's/[0-9.]* [nmu]*s,/T,/; s/;.*//'
# where some groups are measured, the others say that they are modelled
met circuit plan 'softmax[x] @ silu' --set x=4 --hardware mine --planner none --cost measured |
    sed -n 's/[0-9.]*%/T/g; s/[0-9.]* [mun]s/T/g; s/  */ /g; /^time/p; s/^bound.*\(unknown (measured)\).*/\1/p; /^ [0-9]/p'
# what the planner would take by this evidence can be measured in turn, in the mode and by the prices of the plan; kernels have
# the names that the plan has
met kernel bench llama --toy --mode decode --hardware mine --planner exact --cost measured --repeats 1 --threads 1 --record >bench.txt
sed -n '1p; s/.*% *\(norm_head\|embed\)$/\1/p; /^recorded/s/ [0-9]* rows.*/ rows/p' bench.txt
