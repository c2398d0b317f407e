# a repetition is shown once, or as a whole
met circuit show 'f = linear[m -> f] @ relu @ linear[f -> m]
f ^ 3'
met circuit show 'f = linear[m -> f] @ relu @ linear[f -> m]
f ^ 3' --whole
