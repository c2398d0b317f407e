#include "derive/carrier.h"

#include <assert.h>
#include <string.h>

const met_carrier met_carrier_table[] = {
    { "gated", MET_CARRIER_NUMBER, "1 + n*m" },
    { "diagonal", MET_CARRIER_DIAGONAL, "n + n*m" },
    { "affine", MET_CARRIER_MATRIX, "n^2 + n*m" },
    { "delta", MET_CARRIER_MATRIX, "n^2 + n*m" },
};
const size_t met_carrier_count = sizeof met_carrier_table / sizeof *met_carrier_table;

enum { CARRIER_ROWS = 64 }; /* of the matrices that combining holds aside */

const met_carrier *met_carrier_find(const char *name)
{
    for (size_t i = 0; i < met_carrier_count; i++)
        if (strcmp(met_carrier_table[i].name, name) == 0)
            return &met_carrier_table[i];
    return NULL;
}

size_t met_carrier_factor_numbers(const met_carrier *carrier, size_t n)
{
    return carrier->shape == MET_CARRIER_NUMBER ? 1 : carrier->shape == MET_CARRIER_DIAGONAL ? n : n * n;
}

size_t met_carrier_numbers(const met_carrier *carrier, size_t n, size_t m)
{
    return met_carrier_factor_numbers(carrier, n) + n * m;
}

void met_carrier_begin(const met_carrier *carrier, size_t n, size_t m, double *ret_carrier)
{
    size_t factor = met_carrier_factor_numbers(carrier, n);
    memset(ret_carrier, 0, met_carrier_numbers(carrier, n, m) * sizeof *ret_carrier);
    for (size_t i = 0; i < factor; i += carrier->shape == MET_CARRIER_MATRIX ? n + 1 : 1)
        ret_carrier[i] = 1;
}

/* A[i][k]; 0 off the diagonal where A has none. */
static double at(const met_carrier *carrier, size_t n, const double *a, size_t i, size_t k)
{
    if (carrier->shape == MET_CARRIER_MATRIX)
        return a[i * n + k];
    return i != k ? 0 : carrier->shape == MET_CARRIER_NUMBER ? a[0] : a[i];
}

/* column ← A·column + addend; columns lie `stride` apart. */
static void apply(const met_carrier *carrier, size_t n, const double *a, double *column, const double *addend, size_t stride)
{
    double made[CARRIER_ROWS];
    assert(n <= CARRIER_ROWS);
    for (size_t i = 0; i < n; i++) {
        made[i] = addend ? addend[i * stride] : 0;
        for (size_t k = 0; k < n; k++)
            made[i] += at(carrier, n, a, i, k) * column[k * stride];
    }
    for (size_t i = 0; i < n; i++)
        column[i * stride] = made[i];
}

void met_carrier_combine(const met_carrier *carrier, size_t n, size_t m, double *first, const double *second)
{
    size_t factor = met_carrier_factor_numbers(carrier, n);
    for (size_t c = 0; c < m; c++)
        apply(carrier, n, second, first + factor + c, second + factor + c, m);
    for (size_t c = 0; c < n && carrier->shape == MET_CARRIER_MATRIX; c++)
        apply(carrier, n, second, first + c, NULL, n);
    for (size_t i = 0; i < factor && carrier->shape != MET_CARRIER_MATRIX; i++)
        first[i] *= second[i];
}

void met_carrier_delta(size_t n, size_t m, const double *key, const double *value, double beta, double *ret_carrier)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            ret_carrier[i * n + k] = (i == k) - beta * key[i] * key[k];
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < m; c++)
            ret_carrier[n * n + i * m + c] = beta * key[i] * value[c];
}
