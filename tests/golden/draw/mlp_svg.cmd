met circuit draw case/mlp.met --format svg
