met kernel draw case/attention.met --format svg
