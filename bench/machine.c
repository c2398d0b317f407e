/* Compiled for the machine it is built on, with a * b + c as one instruction: see bench/CMakeLists.txt. */
#include "machine.h"

#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if defined __AVX512BF16__
#include <immintrin.h>
#endif

#if defined __AVX512F__
enum { LANES = 16 };
#else
enum { LANES = 8 };
#endif
typedef float vector __attribute__((vector_size(4 * LANES)));

/* Enough chains to hide the latency of a multiply-add twice over, and few enough for the registers. */
enum { CHAINS = 12, FMA_STEPS = 600000 };

/* What is measured must look used. */
static volatile float sink;

static void keep(const vector *a)
{
    float sum = 0;
    for (int c = 0; c < CHAINS; c++)
        sum += a[c][0];
    sink = sum;
}

double machine_fma_f32(unsigned threads)
{
#pragma omp parallel num_threads((int)threads)
    {
        /* Different starts, or the compiler would see one chain. */
        vector y = (vector){ 0 } + (0 * sink + 0.001f), x = y + 0.998f;
        vector a0 = y, a1 = y + 1, a2 = y + 2, a3 = y + 3, a4 = y + 4, a5 = y + 5;
        vector a6 = y + 6, a7 = y + 7, a8 = y + 8, a9 = y + 9, a10 = y + 10, a11 = y + 11;
        for (int i = 0; i < FMA_STEPS; i++) {
            a0 = a0 * x + y, a1 = a1 * x + y, a2 = a2 * x + y, a3 = a3 * x + y;
            a4 = a4 * x + y, a5 = a5 * x + y, a6 = a6 * x + y, a7 = a7 * x + y;
            a8 = a8 * x + y, a9 = a9 * x + y, a10 = a10 * x + y, a11 = a11 * x + y;
        }
        keep((vector[CHAINS]){ a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11 });
    }
    return 2.0 * LANES * CHAINS * FMA_STEPS * threads;
}

double machine_dot_bf16(unsigned threads)
{
#if defined __AVX512BF16__
#pragma omp parallel num_threads((int)threads)
    {
        __m512bh x = (__m512bh)_mm512_set1_epi16(0x3c00), y = (__m512bh)_mm512_set1_epi16(0x3d00);
        __m512 a[CHAINS];
        for (int c = 0; c < CHAINS; c++)
            a[c] = _mm512_set1_ps(0 * sink + (float)c);
        for (int i = 0; i < FMA_STEPS; i++)
            for (int c = 0; c < CHAINS; c++)
                a[c] = _mm512_dpbf16_ps(a[c], x, y);
        keep((vector *)a);
    }
    return 4.0 * LANES * CHAINS * FMA_STEPS * threads;
#else
    (void)threads;
    return 0;
#endif
}

typedef uint64_t words __attribute__((vector_size(4 * LANES)));
enum { STREAMS = 4 };

/* Several streams at a time: each keeps a prefetcher of its own busy. */
static uint64_t read_part(const words *data, size_t count)
{
    words sum[STREAMS] = { { 0 } };
    size_t part = count / STREAMS;
    for (size_t i = 0; i < part; i++)
        for (size_t s = 0; s < STREAMS; s++)
            sum[s] += data[s * part + i];
    words all = sum[0] + sum[1] + sum[2] + sum[3];
    return all[0] + all[1];
}

double machine_read(const void *data, size_t bytes, unsigned threads)
{
    size_t part = bytes / sizeof(words) / threads / STREAMS * STREAMS;
    uint64_t total = 0;
#pragma omp parallel num_threads((int)threads) reduction(+ : total)
    total += read_part((const words *)data + (size_t)omp_get_thread_num() * part, part);
    sink = (float)total;
    return (double)(part * sizeof(words) * threads);
}

size_t machine_cache_bytes(void)
{
    long l3 = sysconf(_SC_LEVEL3_CACHE_SIZE), l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return l3 > 0 ? (size_t)l3 : l2 > 0 ? (size_t)l2 : 0;
}

size_t machine_round_bytes(void)
{
    size_t least = (size_t)512 << 20, twice = 2 * machine_cache_bytes();
    return twice > least ? twice : least;
}

const char *machine_name(void)
{
    static char name[128];
    char line[256], model[96] = "unknown CPU";
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "model name : %95[^\n]", model) == 1)
            break;
    if (file)
        fclose(file);
    snprintf(name, sizeof name, "%s, %ld cores", model, sysconf(_SC_NPROCESSORS_ONLN));
    return name;
}
