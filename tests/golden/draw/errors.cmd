met circuit draw case/attention.met --format picture
met circuit draw case/attention.met --width wide
met circuit draw case/attention.met --theme nosuch
printf '[light]\nink = "black"\n\n[glyphs.softmax]\noutline = "m0 0"\n' > bad.toml
met circuit draw case/attention.met --theme ./bad.toml
met circuit draw case/attention.met -o a.txt --width 100 && cmp a.txt case/attention.out
met circuit draw case/attention.met -o a.png --format svg
met circuit draw case/attention.met -o a.png
