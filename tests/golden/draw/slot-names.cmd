# a parameter's slot has its name without the layer, however short the name is
met circuit draw bert --config examples/bert-tiny/config.json --format svg | grep -o '>[a-z0-9.]*[wb][12]<' | sort -u
