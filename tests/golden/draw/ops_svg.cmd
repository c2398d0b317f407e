met circuit draw case/ops.met --format svg
