attention="'q d, x d -> q x' @ softmax[x] @ 'q x, x d -> q d'"
met circuit diff "$attention" --set q=3,x=5,d=4 --fill wave --a none@interpreter --b none@cpu-scalar --threads 1,2
met circuit diff "$attention" --set q=3,x=5,d=4 --fill wave --a none@cpu-scalar --b none@cpu-scalar --json
