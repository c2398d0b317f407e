# the golden plans are what they would be now: met circuit plan --matrix writes them anew
met circuit plan --matrix --check
