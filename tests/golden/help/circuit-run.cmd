met circuit run -h
