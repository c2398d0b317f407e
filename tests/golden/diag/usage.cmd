met
met circuit
met circuit shwo exp
met circiut show exp
met circuit show
met circuit show exp @ log
met circuit show exp --jsn
met circuit show exp --m 3
met circuit show exp --set
met circuit show exp --whole=yes
met circuit show -exp
met circuit show exp --expand --numerics exact
met circuit show exp --numerics float
met circuit show exp --layers 3
met export json exp --compact
met circuit show --config examples/llama-tiny
met circuit show --config examples/none.json
met circuit show llama --toy --config examples/llama-3.1-8b
