# nesting, counts and names that no circuit has
many() { printf "%$2s" | sed "s/ /$1/g"; }
try() { # the status, and the first diagnostic in short
    status=0
    met circuit show "$1" >out 2>err || status=$?
    echo "$status: $(head -1 err | cut -c 1-100)"
}
many '[' 100000 >a.json
try a.json
many '{"a":' 100000 >a.json
try a.json
{ many '[' 1000; many ']' 1000; } >a.json
try a.json
{ printf '[1'; many ',1' 2000000; printf ']'; } >a.json
try a.json
met export json "'n m -> n' @ exp" >good.json
for change in 's/"n"/"n m"/g' 's/"v1"/""/g' 's/"v0"/"v.."/g' 's/"value": null/"value": 0/' 's/"value": null/"value": -1/' \
    's/"at": \[0\]/"at": [7]/' 's/"at": \[0\]/"at": [-1]/' 's/"block": null/"block": 0/' 's/"targets": \[\]/"targets": [99]/' \
    's/"inputs": \[{"edge": "v0"/"inputs": [{"edge": "v1"/' 's/"role": "value"/"role": "input"/' 's/"size": "n"/"size": "q"/'; do
    sed "$change" good.json >bad.json
    try bad.json
done
