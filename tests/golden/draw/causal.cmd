met circuit draw case/causal.met --format terminal --width 100
