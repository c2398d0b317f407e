#!/bin/sh
# Writes docs/diagnostics.md to standard output: every code of src/base/diag.def, and for each the first diagnostic of
# that code in its golden case. usage: sh tools/diagnostics.sh [ROOT] >docs/diagnostics.md
set -eu
cd "${1:-.}"
cat <<'END'
# Diagnostics

Every problem that `met` reports is a diagnostic: a severity, a code, one line that says what is wrong, the place with the
text underlined, further places where two things do not agree, and what to do about it. Codes do not change; words may.
`--json` prints them as data: see [formats/diagnostics.md](formats/diagnostics.md).

An error makes the command exit with status 2, or with 3 if the code is `file`, `hardware` or `compiler`. At most 50 diagnostics are printed; beyond
them, `and N more`.

This page is made by `tools/diagnostics.sh` from `src/base/diag.def` and the cases of `tests/golden/diag/`.
END
LC_ALL=C awk '
function example(code,   file, line, on, started) {
    file = "tests/golden/diag/" code ".err"
    while ((getline line < file) > 0) {
        if (line ~ /^(error|warning)\[/) {
            if (on) break
            on = index(line, "[" code "]:") > 0
            if (on) print "\n```"
        }
        if (on) print line
        if (on) started = 1
    }
    close(file)
    if (started) print "```"
}
/^\/\* [A-Z][^:]* \*\/$/ {
    gsub(/^\/\* | \*\/$/, "")
    printf "\n## %s\n", $0
}
/^MET_DIAG\(/ {
    split($0, quoted, "\"")
    split(quoted[3], severity, /[ ,]+/)
    printf "\n### `%s`\n\n%s: %s.\n", quoted[2], severity[2] == "ERROR" ? "Error" : "Warning", quoted[4]
    example(quoted[2])
}' src/base/diag.def
