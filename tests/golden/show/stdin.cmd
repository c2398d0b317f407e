met circuit show - <case/block.met
