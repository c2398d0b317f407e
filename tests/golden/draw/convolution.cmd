met circuit draw case/convolution.met --format terminal --width 100
