met tree show 'lanes4, tail after 4' --n 9 --format svg
