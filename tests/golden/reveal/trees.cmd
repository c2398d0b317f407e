# calls are counted by the seed's pivots: no matter here
${CC:-cc} -O1 -ffp-contract=off -fPIC -shared -o sums.so "$MET_ROOT/tests/data/foreign/sums.c" -lm
say() { met tree reveal --lib ./sums.so "$@" >said || echo "status $?"; sed '/^  calls/d; s/"calls": [0-9]*/"calls": 0/' said; }
say --symbol lanes4 --signature 'dot f32' --n 16,19
say --symbol compensated --signature 'sum f32' --n 13
say --symbol at_random --signature 'sum f32' --n 9
say --symbol by_place --signature 'sum f32' --n 9 --offset 0,1,4
say --symbol by_length --signature 'sum f32' --n 8,31,33,40 --json
