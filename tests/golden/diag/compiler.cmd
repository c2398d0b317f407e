CC=met-no-such-compiler met circuit run 'softmax[x]' --set x=4 --fill wave --hardware cpu-scalar
