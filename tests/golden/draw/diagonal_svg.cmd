met circuit draw case/diagonal.met --format svg
