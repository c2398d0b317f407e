met kernel draw case/kernel_norm.met --format terminal --width 0
