# A processor without AVX; $MET_CPUINFO stands in for /proc/cpuinfo.
printf 'processor\t: 0\nflags\t\t: fpu sse sse2\n' >cpuinfo
MET_CPUINFO=cpuinfo met circuit run 'softmax[x]' --set x=4 --fill wave --hardware cpu-avx2
