met kernel draw case/causal.met --format svg
