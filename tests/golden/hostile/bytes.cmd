# bytes that are no text, as argument, file and standard input
printf 'exp @ \001\002\377\376\300\200\355\240\200 \033[31m' >bytes
cp bytes bytes.json
cp bytes bytes.toml
met circuit show "$(cat bytes)"
met circuit show bytes
met circuit show bytes.json
met circuit show bytes.toml
met circuit show - <bytes
met "$(cat bytes)"
met circuit show exp --"$(cat bytes)"
met circuit show exp --set "$(cat bytes)"
met circuit run exp --fill "$(cat bytes)"
