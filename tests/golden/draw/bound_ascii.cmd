met circuit draw case/attention.met --format ascii --width 100 --set q=128,x=1024,h=32,d=64
