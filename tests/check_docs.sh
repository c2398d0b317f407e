#!/bin/sh
# Documents can be found, and name files that are there. usage: check_docs.sh ROOT
#
# - README.md or docs/README.md names every document under docs/;
# - links between documents lead somewhere;
# - paths in quotes are those of files, with wildcards of one at least; NAME and the like stand for a word;
# - ARCHITECTURE.md has a row for every room of src/.
set -u
cd "$1" || exit 1
failed=0
complain() { echo "$1"; failed=1; }
there() { set -- $1; [ -e "$1" ]; } # with wildcards

for page in $(find docs -name '*.md' ! -path docs/README.md; ls docs/man/*); do
    grep -q -F "$page" README.md || grep -q -F "(${page#docs/})" docs/README.md || complain "$page: in no list of documents"
done
for page in *.md $(find docs -name '*.md'); do
    for link in $(grep -o '](\.*[A-Za-z0-9_./-]*\.[a-z0-9]*[)#]' "$page" | sed 's/^](//; s/[)#]$//'); do
        there "$(dirname "$page")/$link" || complain "$page: no file $link"
    done
    for path in $(grep -o '`\(src\|host\|cli\|tests\|kernels\|tools\|include\|bench\|examples\|share\|docs\)/[A-Za-z0-9_./*-]*`' "$page" | tr -d '`' | grep -v -e NAME -e CODE -e CASE | sort -u); do
        there "$path" || complain "$page: no file $path"
    done
done
for room in src/*/; do
    grep -q -F "| \`$room\` |" ARCHITECTURE.md || complain "ARCHITECTURE.md: no row for $room"
done
exit $failed
