#include "host/foreign.h"

uint64_t met_foreign_elements(const met_foreign_shape *s)
{
    const uint64_t sizes[] = { s->rows, s->columns, s->terms };
    for (int i = 0; i < 3; i++)
        if (sizes[i] == 0 || sizes[i] > MET_FOREIGN_LIMIT)
            return 0;
    /* each size is at most 2^26, so no product of two overflows */
    uint64_t count = s->rows * s->terms + s->terms * s->columns + s->rows * s->columns;
    return count <= MET_FOREIGN_LIMIT && s->terms <= MET_FOREIGN_TERMS ? count : 0;
}

double met_foreign_filler(uint64_t i)
{
    uint64_t mixed = (i + 1) * 0x9e3779b97f4a7c15u; /* Fibonacci hashing: high bits depend on all of i */
    return (double)((int)(mixed >> 56) - 128) / 128;
}
