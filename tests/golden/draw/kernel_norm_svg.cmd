met kernel draw case/kernel_norm.met --format svg
