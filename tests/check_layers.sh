#!/bin/sh
# Enforces the shape of the source tree. usage: check_layers.sh ROOT
#
# - src/MODULE includes its own module, those above it in src/LAYERS, met/ and a short list of C headers;
# - src/ is pure: no files, environment, clock, locale or threads, and no memory but arenas;
# - host/ includes host/, met/, src/base and the modules that kernels and what is said of their numbers come from; cli/ includes met/, host/ and cli/ only;
# - JSON is written by src/base/json.h alone: no string holds a key in quotes with a colon behind it;
# - no file is longer than 500 lines.
# src/base/arena.c is where memory comes from and where met_fatal speaks: it alone may name those functions. src/base/digest.c
# alone may name libmd's SHA-256, which is pure.
set -eu
root=$1
cd "$root"
[ -f src/LAYERS ] || { echo "no src/LAYERS in $root"; exit 1; }

files=$(find src host cli include bench tests -type f \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.def' \) 2>/dev/null |
    LC_ALL=C sort)
[ -n "$files" ] || { echo "no sources in $root"; exit 1; }

LC_ALL=C awk '
function complain(what) { printf "%s:%d: %s\n", FILENAME, FNR, what; bad = 1 }

function load_layers(   line) {
    while ((getline line < "src/LAYERS") > 0)
        if (line !~ /^#/ && line != "") layer[line] = ++layers
}

# Code with comments, strings and characters blanked out; comments may go on over lines.
function strip(line,   out, c, two, i, n, quote) {
    out = ""; n = length(line); quote = ""
    for (i = 1; i <= n; i++) {
        c = substr(line, i, 1); two = substr(line, i, 2)
        if (in_comment) { if (two == "*/") { in_comment = 0; i++ } }
        else if (quote != "") { if (c == "\\") i++; else if (c == quote) quote = "" }
        else if (two == "/*") { in_comment = 1; i++ }
        else if (two == "//") break
        else if (c == "\"" || c == "\047") { quote = c; out = out " " }
        else out = out c
    }
    return out
}

function check_include(target,   parts, other) {
    split(target, parts, "/"); other = parts[1]
    if (tree == "tests" || tree == "bench") return
    if (other == "met" && target ~ /\//) return
    if (tree == "include") { complain("a public header includes " target); return }
    if (tree == "cli") { if (other != "host" && other != "cli") complain("cli/ must not include " target); return }
    if (tree == "host") { if (!(other in hosted)) complain("host/ must not include " target); return }
    if (!(other in layer)) complain(target " is in no module of src/LAYERS")
    else if (layer[other] > layer[module]) complain(module " is above " other ", so it must not include " target)
}

BEGIN {
    load_layers()
    n = split("host base ir number eval lkb plan realize audit reveal parity budget report", list, " ")
    for (i = 1; i <= n; i++) hosted[list[i]] = 1
    n = split("assert errno fenv float inttypes iso646 limits math stdalign stdarg stdbool stddef stdint stdio stdlib " \
              "stdnoreturn string", list, " ")
    for (i = 1; i <= n; i++) pure_header[list[i] ".h"] = 1
    n = split("FILE stdin stdout stderr printf vprintf fprintf vfprintf dprintf puts putchar fputs fputc putc fwrite " \
              "fread fopen freopen fclose fflush fgets getchar getc scanf fscanf perror remove rename tmpfile tmpnam " \
              "getenv setenv system exit _Exit abort atexit rand srand random drand48 time clock gettimeofday " \
              "clock_gettime setlocale localeconv pthread_create thrd_create signal raise strtok strerror", list, " ")
    for (i = 1; i <= n; i++) impure[list[i]] = 1
    n = split("malloc calloc realloc aligned_alloc free strdup strndup", list, " ")
    for (i = 1; i <= n; i++) memory[list[i]] = 1
}

FNR == 1 {
    if (previous != "" && length_of > 500) { printf "%s: %d lines, more than 500\n", previous, length_of; bad = 1 }
    previous = FILENAME; in_comment = 0
    split(FILENAME, path, "/"); tree = path[1]; module = path[2]
    if (tree == "src" && !(module in layer)) complain("the module " module " is not in src/LAYERS")
    files_seen++
}
{ length_of = FNR }

!in_comment && /^[ \t]*#[ \t]*include[ \t]*"/ {
    split($0, part, "\""); check_include(part[2]); next
}
!in_comment && /^[ \t]*#[ \t]*include[ \t]*</ {
    header = $0; sub(/^[^<]*</, "", header); sub(/>.*/, "", header)
    if (header == "sha2.h" && FILENAME == "src/base/digest.c") next
    if ((tree == "src" || tree == "include") && !(header in pure_header)) complain("src/ is pure: <" header "> is not")
    next
}
{
    if ((tree == "src" || tree == "host" || tree == "cli") && $0 ~ /[{,"][ ]*\\"[A-Za-z_%]+\\" ?:/) complain("JSON by hand: use base/json.h")
    code = strip($0)
    if (tree == "tests" || tree == "bench" || FILENAME == "src/base/arena.c") next
    while (match(code, /[A-Za-z_][A-Za-z0-9_]*/)) {
        word = substr(code, RSTART, RLENGTH)
        before = RSTART > 1 ? substr(code, RSTART - 1, 1) : ""
        code = substr(code, RSTART + RLENGTH)
        call = (code ~ /^[ \t]*\(/) && before != "." && before != ">"
        if ((word in memory) && call) complain(word "() outside src/base/arena.c: use an arena")
        value = word == "FILE" || word ~ /^std(in|out|err)$/
        if (tree == "src" && (word in impure) && (call || value)) complain("src/ is pure: " word " is not")
    }
}
END {
    if (length_of > 500) { printf "%s: %d lines, more than 500\n", FILENAME, length_of; bad = 1 }
    if (!files_seen) bad = 1
    exit bad
}' $files
