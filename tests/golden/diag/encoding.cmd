# typographic characters from a document, bytes that are no text
met circuit show 'exp @ softmax[x] — the weights'
met circuit show "‘q d, x d -> q x’"
printf 'exp @ \377log' | met circuit show -
printf '{"schema": "met-circuit\377"}' >bad.json
met circuit show bad.json
