met kernel draw case/causal.met --format ascii --tiles q=32,x=128 --set h=8,d=64,d.2=64 --width 0
met kernel draw case/causal.met --format ascii --tiles q=32,x=128 --division eager --width 0
