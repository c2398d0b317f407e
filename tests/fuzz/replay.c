/* Runs a fuzz target's entry point over files: every file of the given directories, then the empty input. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LIMIT = 1 << 20 };

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(LIMIT);
    if (!file || !bytes) {
        fprintf(stderr, "replay: cannot read %s\n", path);
        return 1;
    }
    size_t length = fread(bytes, 1, LIMIT, file);
    fclose(file);
    uint8_t *exact = malloc(length ? length : 1); /* so that a sanitizer sees reads past the end */
    for (size_t i = 0; exact && i < length; i++)
        exact[i] = bytes[i];
    if (exact)
        LLVMFuzzerTestOneInput(exact, length);
    free(exact);
    free(bytes);
    return 0;
}

int main(int argc, char **argv)
{
    int failed = 0;
    size_t count = 0;
    for (int i = 1; i < argc; i++) {
        DIR *directory = opendir(argv[i]);
        if (!directory)
            continue; /* a target may have no corpus yet */
        for (struct dirent *entry; (entry = readdir(directory));) {
            if (entry->d_name[0] == '.')
                continue;
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
            failed |= replay_file(path);
            count++;
        }
        closedir(directory);
    }
    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    printf("replayed %zu inputs\n", count);
    return failed;
}
