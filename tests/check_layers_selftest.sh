#!/bin/sh
# check_layers.sh must be able to fail: each of these small trees breaks one rule. usage: check_layers_selftest.sh ROOT
set -u
check=$1/tests/check_layers.sh
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failed=0

fresh() {
    rm -rf "$scratch/tree"
    mkdir -p "$scratch/tree/src/base" "$scratch/tree/src/type" "$scratch/tree/host" "$scratch/tree/cli"
    printf 'base\ntype\n' >"$scratch/tree/src/LAYERS"
    echo '#include "base/a.h" /* fopen( time( */' >"$scratch/tree/src/type/a.c"
}
expect() { # expect good|bad WORDS
    said=$(sh "$check" "$scratch/tree" 2>&1)
    status=$?
    if [ "$1" = good ] && [ $status != 0 ] || [ "$1" = bad ] && [ $status = 0 ]; then
        echo "expected $1: $2"
        echo "$said"
        failed=1
    elif [ "$1" = bad ] && ! echo "$said" | grep -q -- "$2"; then
        echo "expected the words: $2"
        echo "$said"
        failed=1
    fi
}
broken() { # broken FILE TEXT WORDS
    fresh
    printf '%b\n' "$2" >"$scratch/tree/$1"
    expect bad "$3"
}

fresh
expect good "an orderly tree"
broken src/base/b.c '#include "type/a.h"' 'base is above type'
broken src/type/b.c '#include "host/file.h"' 'in no module'
broken src/base/b.c '#include <unistd.h>' 'is pure'
broken src/base/b.c 'void f(void) { /* x */ fopen("a", "b"); }' 'fopen'
broken src/base/b.c 'int f(void) { return (int)time(0); }' 'time'
broken src/type/b.c 'void f(void *p) { free(p); }' 'free'
broken host/b.c 'void f(void *p) { free (p); }' 'free'
broken host/b.c '#include "type/a.h"' 'host/ must not'
broken cli/b.c '#include "base/a.h"' 'cli/ must not'
broken host/b.c 'void f(void) { printf("{\\"a\\": 1}"); }' 'JSON by hand'
broken src/base/b.c "$(yes 'int x;' | head -501)" 'more than 500'
exit $failed
