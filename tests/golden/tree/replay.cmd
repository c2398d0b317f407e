# recorded lines (made up, in the form of the real ones) along the units' records
cp -r "$MET_ROOT/tests/data/recorded" recorded
met tree replay recorded
met tree replay recorded/V100 --json
# one bit of a result, and a GPU that nobody recorded
cp -r recorded/V100/fp16 changed
sed '4s/0$/1/; 4t; 4s/1$/0/' changed/d_V100_fp32.txt >d && mv d changed/d_V100_fp32.txt
met tree replay changed
met tree replay recorded/V100 --unit a100.f16 | grep lines
met tree replay recorded/V100 --unit k80.f16
cp -r recorded/V100/fp16 other
cd other && for f in *V100*; do mv "$f" "$(echo "$f" | sed s/V100/K80/)"; done
cd .. && met tree replay other
# sixteen products take three lines; this unit has no half accumulators
cp -r recorded/H100/bf16 wide
sed '4s/0$/1/; 4t; 4s/1$/0/' wide/d_H100_fp32.txt >d && mv d wide/d_H100_fp32.txt
met tree replay wide --unit h100.bf16
