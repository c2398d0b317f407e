met circuit draw case/convolution.met --format svg
