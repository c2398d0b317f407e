printf '[light]\nink = "black"\n' >mine.toml
met circuit draw exp --theme ./mine.toml
