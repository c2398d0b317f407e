/* npy_sum IN OUT, npy_sum A B C OUT: the sum of a vector in f32, or c + Σ a·b, in order, on NumPy files of version 1. With the
 * name "slow" as first argument it never ends, with "bad" it fails, with "many" it writes two numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static size_t load(const char *path, float *values, size_t room)
{
    unsigned char head[10];
    FILE *file = fopen(path, "rb");
    if (!file || fread(head, 1, sizeof head, file) != sizeof head)
        exit(9);
    fseek(file, head[8] + 256 * head[9], SEEK_CUR);
    size_t count = fread(values, sizeof *values, room, file);
    fclose(file);
    return count;
}

static void save(const char *path, float value, int count)
{
    char header[119];
    int length = snprintf(header, sizeof header, "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }", count);
    memset(header + length, ' ', sizeof header - (size_t)length);
    header[117] = '\n';
    FILE *file = fopen(path, "wb");
    if (!file)
        exit(9);
    fwrite("\x93NUMPY\1\0\x76\0", 1, 10, file);
    fwrite(header, 1, 118, file);
    for (int i = 0; i < count; i++)
        fwrite(&value, sizeof value, 1, file);
    fclose(file);
}

int main(int argc, char **argv)
{
    static float a[4096], b[4096];
    float s = 0;
    int skip = argc > 1 && (!strcmp(argv[1], "slow") || !strcmp(argv[1], "bad") || !strcmp(argv[1], "many"));
    if (skip && argv[1][0] == 'b') {
        fprintf(stderr, "no such\tthing\n");
        return 3;
    }
    while (skip && argv[1][0] == 's')
        pause();
    argv += skip;
    argc -= skip;
    size_t n = load(argv[1], a, 4096);
    if (argc == 5) {
        load(argv[2], b, 4096);
        load(argv[3], &s, 1);
    }
    for (size_t i = 0; i < n; i++)
        s += argc == 5 ? a[i] * b[i] : a[i];
    save(argv[argc - 1], s, 1 + skip);
    return 0;
}
