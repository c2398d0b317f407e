met kernel draw case/mlp.met --stream f --format svg
