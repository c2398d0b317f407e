# the ending says the form; the same input gives the same bytes
met circuit draw 'softmax[x] @ exp' -o a.svg
met circuit draw 'softmax[x] @ exp' --format svg >b.svg
cmp a.svg b.svg
head -c 5 a.svg
echo
met circuit draw 'softmax[x] @ exp' --output a.html --theme blueprint
grep -c '<svg' a.html
met circuit draw 'softmax[x] @ exp' --format html --theme blueprint | cmp - a.html
