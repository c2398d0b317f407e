# Plans of whole ops, compared group by group and then by their bytes; a class without kernels here is only planned. How the
# blueprint's rules cut the model is no business of this case.
met circuit diff llama --toy --mode decode --a greedy@cpu-scalar --b exact@cpu-scalar --dtype bf16 --fill wave |
    sed -n 's/: [0-9]* groups, [0-9.]* us and [0-9.]* kB/: … groups, … us and … kB/p; /^expected/p; /values have/p; /^the same/p'
met circuit diff llama --toy --mode decode --a exact@cpu-scalar --b exact@h200-sxm --fill wave --json |
    grep -o '"runs":[a-z]*\|"device":"[^"]*"'
# planned only: arrays of any size, context as met circuit plan binds it, the model's own dtype; shares of groups that are the same
met circuit diff llama-3.1-8b --mode decode --context 4096 --a greedy@h200-sxm --b greedy@b200 |
    tr -s '\n ' ' ' | sed 's/[0-9]* groups/… groups/g; s/[+-]*[0-9.]* [mu]s/T/g; s/[0-9.]* GB/B/g; s/ \(b\|… groups\|in all\) /\n\1 /g'
echo
# a device of a class that runs here, told apart from one that is none before anything runs; the interpreter follows no planner
mkdir devices
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
diff() { MET_DEVICES=$PWD/devices met circuit diff llama --toy --mode decode --fill wave "$@" 2>&1 | sed -n '1p; $p'; }
diff --a greedy@mine --b none@mine
diff --a greedy@interpreter --b none@mine
diff --a none@interpreter --b greedy@nowhere
# after an underflow nothing is promised, and it is said what to do
met circuit diff llama --toy --mode decode --a greedy@cpu-scalar --b none@cpu-scalar --fill normal | grep -A3 '^expected'
