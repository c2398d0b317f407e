met kernel draw case/attention.met --stream z
met kernel draw case/attention.met --tiles z=32
met kernel draw case/attention.met --tiles q=0
met kernel draw case/attention.met --division later
met kernel draw case/attention.met --theme nosuch
met kernel draw case/attention.met -o a.png
met kernel draw 'x: n -> x'
