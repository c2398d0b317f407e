met circuit draw case/layers32.met --format svg
