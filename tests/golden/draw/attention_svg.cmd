met circuit draw case/attention.met --format svg
