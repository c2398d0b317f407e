met circuit draw case/ops.met --format terminal --width 100
