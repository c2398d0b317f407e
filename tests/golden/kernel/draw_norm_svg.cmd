met kernel draw case/norm.met --format svg
