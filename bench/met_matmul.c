/* met on the work of matmul.h. */
#include <stdio.h>

#include "matmul.h"
#include "met_case.h"

static const char *program_of(const matmul *work, bool packed)
{
    if (work->outputs_first)
        return packed ? "x: m k\ny = linear[k -> n](x, @w)\n-> y\n" : "x: m k, w: n k\ny = 'm k, n k -> m n'(x, w)\n-> y\n";
    return packed ? "x: m k\ny = 'm k, k n -> m n'(x, @w)\n-> y\n" : "x: m k, w: k n\ny = 'm k, k n -> m n'(x, w)\n-> y\n";
}

static const char *check(void *work) { return matmul_check(work); }

entrant met_matmul(matmul *work, bool packed, const char *dot)
{
    size_t element = work->bf16 ? 2 : 4;
    met_case_plan plan = {
        .name = dot ? "met, packed, pairs" : packed ? "met, packed" : "met", .program = program_of(work, packed),
        .dtype = work->bf16 ? "bf16" : "f32", .dot = dot, .in_count = 2,
        .ins = { { .name = "x", .data = work->x, .bytes = work->m * work->k * element },
                 { .name = "w", .turns = work->w, .bytes = matmul_weight_bytes(work), .turn_count = work->copies } },
        .out = work->y, .out_bytes = work->m * work->n * element, .turn = &work->next, .check = check, .work = work,
    };
    snprintf(plan.sizes, sizeof plan.sizes, "m=%zu,k=%zu,n=%zu", work->m, work->k, work->n);
    return met_entrant(&plan);
}
