met circuit draw case/selfattention.met --format terminal --width 100
