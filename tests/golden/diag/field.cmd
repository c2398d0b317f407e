# a field that is missing, misspelt, of another kind
printf '[1, 2]' >list.json
met circuit show list.json
printf '{"schema": "met-circuit"}' >missing.json
met circuit show missing.json
met export json 'softmax[x]' >good.json
sed 's/"role"/"rule"/' good.json >misspelt.json
met circuit show misspelt.json
sed 's/"version": 1/"version": "1"/' good.json >kind.json
met circuit show kind.json
