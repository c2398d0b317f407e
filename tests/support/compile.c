#include "support/compile.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is loaded into a sanitized test is sanitized as well. */
#ifdef __SANITIZE_ADDRESS__
static const char optimization[] = "-O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all";
#else
static const char optimization[] = "-O2";
#endif

static bool write_all(const char *path, const char *const *texts)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    for (; *texts; texts++)
        fputs(*texts, file);
    return fclose(file) == 0;
}

void *met_test_compile(const char *flags, const char *const *texts)
{
    char directory[] = "/tmp/met-test-XXXXXX", source[64], object[64], command[1024];
    if (!mkdtemp(directory))
        return NULL;
    snprintf(source, sizeof source, "%s/a.c", directory);
    snprintf(object, sizeof object, "%s/a.so", directory);
    const char *cc = getenv("CC");
    int length = snprintf(command, sizeof command,
                          "%s -std=c17 %s -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -ffp-contract=off -fPIC "
                          "-shared %s -o %s %s -lm",
                          cc ? cc : "cc", optimization, flags, object, source);
    void *loaded = NULL;
    if (length < (int)sizeof command && write_all(source, texts) && system(command) == 0) {
        loaded = dlopen(object, RTLD_NOW | RTLD_LOCAL);
        if (!loaded)
            fprintf(stderr, "%s\n", dlerror());
    }
    unlink(source);
    unlink(object);
    rmdir(directory);
    return loaded;
}

static bool has_word(const char *line, const char *word, size_t length)
{
    for (const char *at = line; (at = strstr(at, word)) != NULL; at += length)
        if (at[-1] == ' ' && strchr(" \n", at[length]))
            return true;
    return false;
}

bool met_test_cpu_has(const char *features)
{
    static char line[8192];
    FILE *file = fopen("/proc/cpuinfo", "r");
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file))
        found = strncmp(line, "flags", 5) == 0;
    if (file)
        fclose(file);
    char words[256];
    snprintf(words, sizeof words, "%s", features);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
        if (!found || !has_word(line + 1, word, strlen(word)))
            return false;
    return true;
}
