met --version
