# the manual names every verb and every option, and no option that no verb has: what is missing is printed
man=$MET_ROOT/docs/man/met.1
sed 's/\\-/-/g; s/\\f[A-Z]//g' "$man" >plain
met --help | sed -n 's/^  met \([a-z]*\) \([a-z]*\).*/\1 \2/p' >verbs
while read -r noun verb; do
    name="$noun${verb:+ $verb}" # a noun may be a command of its own
    grep -q "^\.SS met $name$" plain || echo "met $name: no section"
    met "$noun" ${verb:+"$verb"} --help | grep -o '^ *-[a-z-].*' | grep -o -e '--[a-z-]*' | sort -u >options
    while read -r option; do
        # from the verb's own section, or from that of all verbs
        sed -n "/^\.SS met $name$/,/^\.S/p; /^\.SH OPTIONS OF ALL/,/^\.SH DIAG/p" plain |
            grep -q -e "^\.B[IR]* .*$option\( \|$\|\"\)" || echo "met $name: no $option"
    done <options
    cat options
done <verbs | sort -u >all
grep -v '^--' all
grep -v '^#' plain | grep '^\.B' | grep -o -e '--[a-z][a-z-]*' | sort -u | grep -v -x -e --version | while read -r option; do
    grep -q -x -e "$option" all || echo "$option: no verb has it"
done
