# kernels that round where their records say that they do not
CC='cc -include case/broken.h' met model diff llama --toy --layers 1 --a none@cpu-scalar --b none@interpreter --tokens 1 --prompt 3,17 >said
echo "exit $?"
grep -e '^expected' -e '^tier 1' -e '^different' said
