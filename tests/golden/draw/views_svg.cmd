met circuit draw case/views.met --format svg
