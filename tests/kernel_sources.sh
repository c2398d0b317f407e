#!/bin/sh
# What `met kernel build` writes: no warnings from gcc and clang, nothing undefined when it runs, valid as C++ where it is
# a header, both files or neither. usage: kernel_sources.sh ROOT MET
set -eu
met=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
attention="'q h d, x h d -> h q x' @ scale(d^-0.5) @ mask.causal[q x] @ softmax[x] @ 'h q x, x h d -> q h d'"
failed=0
complain() { echo "$*"; failed=1; }

# build NAME OPTIONS…: writes NAME.c and NAME.h
build() {
    name=$1
    shift
    "$met" kernel build "$@" -o "$name.c" || complain "met kernel build $* failed"
}
for class in cpu-scalar cpu-avx2 cpu-avx512; do
    suffix=$(echo "$class" | tr -d -)
    build "attention_$suffix" "$attention" --set q=5,x=19,h=2,d=8 --hardware $class
    build "attention_none_$suffix" "$attention" --set q=5,x=19,h=2,d=8 --hardware $class --planner none
    build "mlp_$suffix" 'linear[m -> f] @ silu @ linear[f -> m]' --set m=24,f=40 --hardware $class --dtype bf16
done

# compile COMPILER FLAGS FILE
for source in *.c; do
    flags=$(sed -n '/^ \* Compile with$/ { n; s/^ \* *//p; }' "$source")
    [ -n "$flags" ] || complain "$source does not say how it is compiled"
    for compiler in gcc clang; do
        command -v $compiler >/dev/null 2>&1 || continue
        # shellcheck disable=SC2086 # the flags are words
        $compiler $flags -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -c "$source" -o out.o >log 2>&1 ||
            { complain "$compiler on $source"; head -20 log; }
    done
done
for header in *.h; do
    printf '#include "%s"\n#include "%s"\n' "$header" "$header" >header.cc
    c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only header.cc || complain "$header is not C++"
done

# the class that every machine has, run under UBSan
cat >main.c <<'END'
#include <stdlib.h>
#include "attention_cpuscalar.h"
int main(void)
{
    static float q[5 * 2 * 8], k[19 * 2 * 8], v[19 * 2 * 8], out[5 * 2 * 8];
    for (int i = 0; i < 19 * 2 * 8; i++) {
        k[i] = (float)(i % 7) - 3.0f;
        v[i] = (float)(i % 5);
        if (i < 5 * 2 * 8)
            q[i] = (float)(i % 3);
    }
    void *workspace = aligned_alloc(64, (ATTENTION_CPUSCALAR_WORKSPACE(3) + 63) / 64 * 64);
    attention_cpuscalar(q, k, v, out, workspace, 3);
    free(workspace);
    return out[0] >= 0.0f && out[0] <= 4.0f ? 0 : 1;
}
END
if gcc -std=c17 -ffp-contract=off -fsanitize=undefined,address -fno-sanitize-recover=all main.c attention_cpuscalar.c -lm -o main 2>log; then
    ./main || complain "the kernel fails under UBSan"
else
    complain "the kernel does not build under UBSan"
    head -20 log
fi

# a kernel with packed parameters gives the numbers that the interpreter prints
build packed 'linear[m -> f] @ relu @ linear[f -> m]' --set m=8,f=24 --hardware cpu-scalar
cat >packed_main.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include "packed.h"
int main(void)
{
    static float x[8], up[24 * 8], down[8 * 24], out[8];
    for (int i = 0; i < 24 * 8; i++) {
        up[i] = down[i] = (float)i;
        if (i < 8)
            x[i] = (float)i;
    }
    void *workspace = aligned_alloc(64, (PACKED_WORKSPACE(2) + 63) / 64 * 64);
    packed_prepare(up, down, workspace, 2);
    packed(x, out, workspace, 2);
    free(workspace);
    for (int i = 0; i < 8; i++)
        printf("%s%.6g", i ? ", " : "  all   ", (double)out[i]);
    printf("\n");
    return 0;
}
END
if gcc -std=c17 -O2 -ffp-contract=off packed_main.c packed.c -lm -o packed_main 2>log; then
    ./packed_main >got
    "$met" circuit run 'linear[m -> f] @ relu @ linear[f -> m]' --set m=8,f=24 --fill iota --dtype f32 | grep '^  all' >wanted
    cmp wanted got || complain "the packed kernel has other numbers than the interpreter"
else
    complain "the packed kernel does not build"
    head -20 log
fi

# both files or neither, and the old ones stay
mkdir blocked blocked/attention.h
if "$met" kernel build "$attention" --set q=5,x=19,h=2,d=8 --hardware cpu-scalar -o blocked/attention.c 2>err; then
    complain "a header that cannot be written went unnoticed"
fi
[ ! -e blocked/attention.c ] || complain "the source was written without its header"
[ "$(ls -A blocked)" = attention.h ] || complain "something was left behind"
exit $failed
