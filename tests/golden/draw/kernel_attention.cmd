met kernel draw case/causal.met --format terminal --width 110
