# places that cannot be written: status 3, a diagnostic, and nothing is left behind
for place in /dev/full . missing/a.json ''; do
    met export json exp -o "$place"
    echo "status $?"
done
echo old >a.json
mkdir dir
met export json exp -o a.json/b.json
echo "status $?"
(ulimit -f 0; met export json exp -o a.json)
echo "status $?"
cat a.json
find . -name '*.tmp*'
long=$(printf '%250s' | tr ' ' a)
met export json exp -o "$long"
echo "status $?"
met export json exp >/dev/full
echo "status $?"
met circuit run exp --fill ones >/dev/full
echo "status $?"
met --help >/dev/full
echo "status $?"
met circuit show exp --help >/dev/full
echo "status $?"
met circuit show exp >&-
echo "status $?"
met circuit show - <&-
echo "status $?"
met circuit show nothing 2>/dev/full
echo "status $?"
met export json exp -o a.json && head -2 a.json
