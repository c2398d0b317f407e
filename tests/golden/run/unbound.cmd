# a name binds its whole family, and the help says so
met circuit run '(linear[m -> f] @ linear[f -> m]) ^ 8' --fill wave
met circuit run '(linear[m -> f] @ linear[f -> m]) ^ 8' --set m=3,f=2 --fill ones | head -n 1
