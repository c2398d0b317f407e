met circuit show "$(printf '%300s' | tr ' ' '(')exp$(printf '%300s' | tr ' ' ')')" 2>deep
cut -c 1-90 <deep >&2
printf '%300s1%300s' | tr ' ' '[' | sed 's/1.*/1/' >deep.json
printf '%300s' | tr ' ' ']' >>deep.json
met circuit show deep.json 2>deep
cut -c 1-90 <deep >&2
