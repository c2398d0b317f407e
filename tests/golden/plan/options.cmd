# options that say two things, or have no part in what is asked, are refused before any work
plan="met circuit plan softmax[x] --set x=64"
$plan --hardware hopper --hardware b200
$plan --hardware hopper --cost nodes --format text
$plan --hardware hopper --format text --json
met circuit plan --matrix --hardware hopper
met circuit plan --matrix --check --rows 3
met circuit plan --matrix --set a=b
met kernel bench softmax[x] --set x=64 --repeats 0
met hw probe -o none/x.toml
echo >file
MET_DEVICES=file $plan --hardware hopper
# a matrix that cannot be written, or a model that cannot be read, is noticed first
mkdir -p k/models/llama-3.1-8b k/circuits
cp "$MET_ROOT"/kernels/*.toml k
for f in "$MET_ROOT"/kernels/circuits/*.toml "$MET_ROOT/kernels/circuits/blocks"; do ln -s "$f" k/circuits; done
ln -s "$MET_ROOT/kernels/classes" k/classes
cp "$MET_ROOT"/kernels/models/llama-3.1-8b/* k/models/llama-3.1-8b
met circuit plan --matrix --kernels k
sed -i 's/"hidden_size"/"hiden_size"/' k/models/llama-3.1-8b/config.json
met circuit plan --matrix --check --kernels k
