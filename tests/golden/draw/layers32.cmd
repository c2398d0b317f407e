met circuit draw case/layers32.met --format terminal --width 100
