# cuts are told of and not listed: there is nothing to launch; with --explain they are
cuts() { met circuit plan deepseek_v3 --toy --mode decode --hardware h200-sxm "$@" >report; }
cuts
sed -n '/^groups/,/^edges/{/^edges/!p;}; /^bound/,/^laxity/{/^laxity/!p;}' report | sed 's/[0-9.][0-9.]*/N/g'
grep -c ' 0 ns ' report
cuts --explain
sed -n '/^groups/,/^edges/{/^edges/!p;}' report | sed 's/[0-9.][0-9.]*/N/g'
grep -q ' 0 ns ' report && echo "cuts are listed"
# two equal figures are not set against each other
for model in llama bamba; do
    met circuit plan $model --toy --mode decode --hardware cpu-avx2 --planner exact --explain | grep '(\(.*\) against \1)'
done
true
