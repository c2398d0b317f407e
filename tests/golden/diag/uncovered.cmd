# a class whose rules know norms and projections alone
cp -r "$MET_ROOT/tests/data/blueprint" mine
met circuit plan "rmsnorm[m] @ exp @ softmax[m]" --set m=64 --hardware box --kernels mine
# a processor, whose kernels hold no formats with scales
met circuit plan "quantize[m](format=fp8/token) @ linear[m -> f=8]" --set m=64 --hardware cpu-avx2
