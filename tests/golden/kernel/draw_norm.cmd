met kernel draw case/norm.met --format terminal --width 0
