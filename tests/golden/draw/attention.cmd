met circuit draw case/attention.met --format terminal --width 100
