met export json "'n m -> n' @ exp" >good.json
sed 's/"version": 1/"version": 7/' good.json >version.json
met circuit show version.json
sed 's/"op": "exp"/"op": "exponential"/' good.json >op.json
met circuit show op.json
sed 's/"outputs": \["v1"\]/"outputs": ["v7"]/' good.json >edge.json
met circuit show edge.json
sed 's/"role": "value"/"role": "thing"/' good.json >role.json
met circuit show role.json
sed 's/"axes": \["n"\]/"axes": ["n", "m"]/' good.json >rank.json
met circuit show rank.json
