# recordings that are not there, or not whole
mkdir none cut odd
met tree replay none
cp case/../../data/recorded/V100/fp16/*.txt cut
head -n 5 cut/c_V100_fp32.txt >c && mv c cut/c_V100_fp32.txt
met tree replay cut
cp case/../../data/recorded/V100/fp16/*.txt odd
sed 's/ [0-9a-f]*$/ 3f80/' odd/a_V100_fp16.txt >a && mv a odd/a_V100_fp16.txt
met tree replay odd
rm odd/a_V100_fp16.txt
met tree replay odd

mkfifo odd/a_V100_fp16.txt
met tree replay odd
