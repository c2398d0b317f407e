# a rule is of the lengths that were asked: what lies between may have another
${CC:-cc} -O1 -ffp-contract=off -fPIC -shared -o sums.so "$MET_ROOT/tests/data/foreign/sums.c" -lm
say() { met tree reveal --lib ./sums.so "$@" >said || echo "status $?"; sed '1,/^$/d; /^  calls/d; s/"calls": [0-9]*/"calls": 0/' said; }
say --symbol by_gap --signature 'dot f32' --n 16,64 -o gap.json | sed -n '/^one rule/,$p'
say --symbol lanes4 --signature 'dot f32' --n 1..3,16,64 -o all.json | sed -n '/^the rule/,$p; /^one rule/,$p'
say --symbol lanes4 --signature 'dot f32' --n 16,19,64 -o rule.json >/dev/null
grep about gap.json rule.json
met tree show rule.json --n 9
met tree compare rule.json lanes4 --n 64 | head -3
met tree compare rule.json sequential --n 8 | head -4
# one length: its tree, and the rule that gives it
say --symbol lanes4 --signature 'dot f32' --n 16 -o one.json >/dev/null
met tree compare one.json 'lanes4, mul_add' --n 16
met tree compare one.json 'lanes4, mul_add' --n 100
# blocks that join folded lanes: a tail onto a level
say --symbol folded --signature 'dot f32' --n 31 | grep -A 1 tree
