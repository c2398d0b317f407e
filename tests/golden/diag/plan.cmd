# prices are of devices, and the class has none
cp -r "$MET_ROOT/tests/data/blueprint" mine
met circuit plan "rmsnorm[m]" --set m=64 --hardware child --kernels mine --planner exact
