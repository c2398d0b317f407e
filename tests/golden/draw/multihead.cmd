met circuit draw case/multihead.met --format terminal --width 100
