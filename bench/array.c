#include "array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20 };

static size_t whole_pages(size_t bytes) { return (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE; }

void *array_new(size_t bytes)
{
    /* Mapped with room to spare, so that a start on a huge page can be cut out of it. */
    size_t length = whole_pages(bytes);
    char *map = mmap(NULL, length + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) {
        fprintf(stderr, "bench: no memory for %zu MiB\n", length >> 20);
        exit(3);
    }
    size_t before = (HUGE_PAGE - (uintptr_t)map % HUGE_PAGE) % HUGE_PAGE;
    if (before)
        munmap(map, before);
    if (before < HUGE_PAGE)
        munmap(map + before + length, HUGE_PAGE - before);
    madvise(map + before, length, MADV_HUGEPAGE);
    return map + before;
}

void array_free(void *array, size_t bytes)
{
    if (array)
        munmap(array, whole_pages(bytes));
}

/* The finalizer of MurmurHash3 (public domain), on index and seed. */
static float number(size_t index, uint32_t seed)
{
    uint32_t x = (uint32_t)index * 0x9e3779b9u + seed * 0x85ebca6bu;
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    x ^= x >> 16;
    return (float)(int32_t)x * 0x1p-32f;
}

float *array_f32(size_t count, uint32_t seed)
{
    float *array = array_new(count * sizeof *array);
    for (size_t i = 0; i < count; i++)
        array[i] = number(i, seed);
    return array;
}

uint16_t *array_bf16(size_t count, uint32_t seed)
{
    uint16_t *array = array_new(count * sizeof *array);
    for (size_t i = 0; i < count; i++)
        array[i] = bf16_round(number(i, seed));
    return array;
}

float bf16_value(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

uint16_t bf16_round(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
