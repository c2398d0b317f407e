met circuit draw case/attention.met --theme blueprint --format svg
