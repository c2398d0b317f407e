met kernel draw case/causal.met --stream z
met kernel draw case/causal.met --tiles z=32
met kernel draw case/causal.met --tiles q=0
met kernel draw case/causal.met --division later
met kernel draw case/causal.met --theme nosuch
met kernel draw case/causal.met -o a.png
met kernel draw 'x: n -> x'
met kernel draw case/causal.met --hardware cpu-avx512
met kernel draw case/causal.met --hardware gpu
