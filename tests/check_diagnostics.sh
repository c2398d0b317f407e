#!/bin/sh
# Every diagnostic code has a golden case that prints it, and docs/diagnostics.md is what tools/diagnostics.sh makes.
# usage: check_diagnostics.sh ROOT
set -eu
cd "$1"
status=0
for code in $(sed -n 's/^MET_DIAG([a-z0-9_]*, "\([a-z0-9-]*\)".*/\1/p' src/base/diag.def); do
    if ! grep -qs "^\(error\|warning\)\[$code\]: " "tests/golden/diag/$code.err"; then
        echo "tests/golden/diag/$code.err has no diagnostic of the code $code: add a case that gives one, or remove the code"
        status=1
    fi
done
if ! sh tools/diagnostics.sh . | diff -u docs/diagnostics.md -; then
    echo "docs/diagnostics.md is stale: sh tools/diagnostics.sh >docs/diagnostics.md"
    status=1
fi
exit $status
