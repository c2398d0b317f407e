cp -r "$MET_ROOT/tests/data/blueprint" mine
met circuit plan "rmsnorm[m]" --set m=64 --hardware box --kernels mine --setting residul=f32
