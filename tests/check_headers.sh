#!/bin/sh
# Every header of the tree compiles alone; the public ones, and those of host/ that need nothing of src/, as C++ too.
# usage: check_headers.sh ROOT
set -u
cd "$1" || exit 1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failed=0
for header in $(find include src host -name '*.h' | LC_ALL=C sort); do
    name=${header#include/}
    name=${name#src/}
    # Included twice: a guard that is missing or shared with another header shows.
    printf '#include "%s"\n#include "%s"\nextern int met_unused;\n' "$name" "$name" >"$scratch/a.c"
    ${CC:-cc} -std=c17 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wpedantic -Werror -fsyntax-only -Iinclude -Isrc -I. \
        "$scratch/a.c" || { echo "$header does not compile alone"; failed=1; }
    grep -q '^#include "\(base\|budget\|realize\|host/execute\|host/subject_parts\)' "$header" && continue
    case $header in
    include/* | host/*)
        ${CXX:-c++} -x c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -Iinclude -I. "$scratch/a.c" ||
            { echo "$header does not compile alone as C++"; failed=1; }
        ;;
    esac
done
exit $failed
