# byte order marks; architectures without a mode, and with parts elsewhere; a missing directory of kernels
printf '\357\273\277exp\n' >mark.met
printf '\357\273\277{"model_type": "llama"}\n' >mark.json
met circuit show mark.met
met circuit show mark.json
met circuit show llama --config mark.json
head='[arch]
name = "a"
summary = "s"
'
echo "$head" >a.toml
met circuit show a.toml
for part in ../a.toml /etc/passwd b/../../c '' . a/; do
    echo "${head}use = ['$part']" >a.toml
    status=0
    met circuit show a.toml 2>err || status=$?
    echo "$status: $(head -2 err)"
done
met circuit show llama --kernels missing
echo "status $?"
MET_KERNELS=$PWD/missing met circuit show llama 2>err
echo "status $?"
mkdir empty
met circuit show llama --kernels empty
echo "status $?"
