met circuit draw case/diagonal.met --format terminal --width 100
