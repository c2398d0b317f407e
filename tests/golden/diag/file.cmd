# no such file; a directory; a place that cannot be written
met circuit show missing.met
met circuit show .
met export json 'exp' -o missing/exp.json
met export json 'exp' -o .
ls
