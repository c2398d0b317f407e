met kernel draw case/attention.met --format terminal --width 110
