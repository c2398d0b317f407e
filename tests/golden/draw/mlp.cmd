met circuit draw case/mlp.met --format terminal --width 100
