# after -- everything is an argument
met circuit show --set x=4 -- 'softmax[x]'
