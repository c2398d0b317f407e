met kernel draw case/kernel_mlp.met --stream f --format terminal --width 0
