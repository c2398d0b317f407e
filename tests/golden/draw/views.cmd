met circuit draw case/views.met --format terminal --width 100
