#include "matmul.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

static size_t element(const matmul *work) { return work->bf16 ? 2 : 4; }

static void *fill(bool bf16, size_t count, uint32_t seed)
{
    return bf16 ? (void *)array_bf16(count, seed) : array_f32(count, seed);
}

matmul *matmul_new(size_t m, size_t k, size_t n, bool bf16, bool outputs_first, size_t copies)
{
    matmul *work = malloc(sizeof *work);
    void **w = malloc(copies * sizeof *w);
    if (!work || !w)
        abort();
    for (size_t c = 0; c < copies; c++)
        w[c] = fill(bf16, k * n, (uint32_t)c + 2);
    *work = (matmul){ .m = m, .k = k, .n = n, .bf16 = bf16, .outputs_first = outputs_first, .copies = copies, .w = w,
                      .x = fill(bf16, m * k, 1), .y = array_new(m * n * (bf16 ? 2 : 4)) };
    return work;
}

void matmul_free(matmul *work)
{
    for (size_t c = 0; c < work->copies; c++)
        array_free(work->w[c], matmul_weight_bytes(work));
    array_free(work->x, work->m * work->k * element(work));
    array_free(work->y, work->m * work->n * element(work));
    free(work->w);
    free(work);
}

double matmul_flops(const matmul *work) { return 2.0 * (double)work->m * (double)work->k * (double)work->n; }

size_t matmul_weight_bytes(const matmul *work) { return work->k * work->n * element(work); }

size_t matmul_turn(matmul *work)
{
    size_t turn = work->next;
    work->next = (turn + 1) % work->copies;
    return turn;
}

static double value(const void *array, bool bf16, size_t i)
{
    return bf16 ? (double)bf16_value(((const uint16_t *)array)[i]) : (double)((const float *)array)[i];
}

/* Sums of k products in any order, each step rounded to f32, are within k u Σ|x w| of the exact sum (u = 2^-24; Higham,
 * Accuracy and Stability of Numerical Algorithms, 3.1, to first order); storing as bf16 adds 2^-8 of the sum. */
static bool right(const matmul *work, const void *w, size_t i, size_t j)
{
    double sum = 0, magnitude = 0;
    for (size_t l = 0; l < work->k; l++) {
        double a = value(work->x, work->bf16, i * work->k + l);
        double b = value(w, work->bf16, work->outputs_first ? j * work->k + l : l * work->n + j);
        sum += a * b;
        magnitude += fabs(a * b);
    }
    double allowed = 0x1p-24 * (double)(work->k + 1) * magnitude + (work->bf16 ? 0x1p-8 * fabs(sum) : 0);
    return fabs(value(work->y, work->bf16, i * work->n + j) - sum) <= 1.01 * allowed;
}

const char *matmul_check(matmul *work)
{
    const void *w = work->w[(work->next + work->copies - 1) % work->copies];
    enum { PROBES = 61 };
    static char wrong[128];
    const char *verdict = NULL;
    for (size_t p = 0; p < PROBES && !verdict; p++) {
        size_t i = p * (work->m - 1) / (PROBES - 1), j = (p * 7919 + 13) % work->n;
        if (!right(work, w, i, j)) {
            snprintf(wrong, sizeof wrong, "at row %zu, column %zu", i, j);
            verdict = wrong;
        }
    }
    memset(work->y, 0xff, work->m * work->n * element(work));
    return verdict;
}
