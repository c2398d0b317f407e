# a class whose rules know norms and projections alone
cp -r "$MET_ROOT/tests/data/blueprint" mine
met circuit plan "rmsnorm[m] @ exp @ softmax[m]" --set m=64 --hardware box --kernels mine
