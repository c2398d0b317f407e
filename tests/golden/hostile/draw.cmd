# status 2 for what is asked wrongly, 3 for places; nothing is left behind
for option in --format=jpeg --width=wide --width=-1 --width=99999999999999 --theme=papyrus --theme=. --output=. --output=/dev/full \
    --output=missing/a.svg; do
    met circuit draw exp "$option"
    echo "status $?"
done
met circuit draw exp >/dev/full
echo "status $?"
met circuit draw "nothing @ exp" -o a.svg
echo "status $?"
ls
