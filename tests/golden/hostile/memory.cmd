# no memory is a matter of the environment: status 3, whoever asks for it
# (some builds reserve more address space than the limit allows, and do not start at all)
limited() {
    status=0
    (ulimit -v "$1"; shift; exec "$@") >out 2>err || status=$?
    [ "$status" = 3 ] && grep -q '^met: out of memory$' err || echo "status $status: $(head -1 err)"
}
if sh -c 'ulimit -v 40000; met --version || exit 1' >out 2>&1; then
    { printf '[arch]\nname = "a"\nsummary = "s"\n[blocks]\n'; for i in $(seq 1 60000); do echo "d$i = 'exp'"; done; } >a.toml
    { printf '{"a": [1'; for i in $(seq 1 400000); do printf ',1'; done; echo ']}'; } >a.json
    limited 20000 met circuit show 'exp ^ 20000'
    limited 20000 met circuit draw 'exp ^ 20000' --whole
    for kilobytes in 12000 16000 24000 32000; do
        limited $kilobytes met circuit show a.toml
        limited $kilobytes met circuit show a.json
    done
    # many settings make one circuit, not one each
    { for i in $(seq 1 1000); do echo "y$i = exp(x$i)"; done; for i in $(seq 1 1000); do echo "x$i: n$i"; done; } | sort >a.met
    (ulimit -v 100000; met circuit show a.met $(for i in $(seq 1 300); do echo "--set n$i=2"; done)) | grep -c "^circuit"
else
    echo 1
fi
