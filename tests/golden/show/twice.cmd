# of two copies, the one that is left out is named alone
met circuit show 'f = softmax[x]; f ^ 2'
