met circuit draw case/multihead.met --format svg
