met kernel draw case/mlp.met --stream f --format terminal --width 0
