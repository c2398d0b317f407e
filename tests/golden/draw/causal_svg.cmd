met circuit draw case/causal.met --format svg
