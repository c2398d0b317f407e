# a comma too much, a number too large, a key twice, half a file
printf '{\n "schema": "met-circuit",\n "version": 1,\n}\n' >comma.json
met circuit show comma.json
printf '{"version": 99999999999999999999}' >number.json
met circuit show number.json
printf '{"version": 1, "version": 1}' >twice.json
met circuit show twice.json
met export json 'softmax[x]' | head -c 400 >half.json
met circuit show half.json
