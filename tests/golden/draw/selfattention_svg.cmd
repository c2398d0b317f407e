met circuit draw case/selfattention.met --format svg
