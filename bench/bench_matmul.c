/* Matmul against OpenBLAS, BLIS and oneDNN: f32 and bf16, squares and the shapes of a large model's layers. */
#include <stdio.h>

#include "matmul.h"

static void bench(size_t m, size_t k, size_t n, bool bf16)
{
    matmul *work = matmul_new(m, k, n, bf16, false, 1);
    char title[80];
    snprintf(title, sizeof title, "matmul %s %zu x %zu x %zu", bf16 ? "bf16" : "f32", m, k, n);
    entrant entrants[] = { met_matmul(work, true, NULL), met_matmul(work, false, NULL), peer_openblas(work), peer_blis(work),
                           peer_onednn(work, false),     peer_onednn(work, true),       met_matmul(work, true, "pairs") };
    if (!bf16)
        entrants[6].absent = "a point of bf16";
    contest c = { .title = title, .unit = "GF/s", .work = matmul_flops(work), .count = sizeof entrants / sizeof *entrants,
                  .measure = bf16 ? contest_fma_bf16 : contest_fma_f32, .entrants = entrants };
    contest_run(&c);
    contest_close(&c);
    matmul_free(work);
}

int main(int count, char **arguments)
{
    (void)count;
    contest_start(arguments);
    static const size_t shapes[][3] = { { 512, 512, 512 }, { 1024, 1024, 1024 }, { 8, 4096, 14336 },
                                        { 128, 4096, 4096 }, { 2048, 2048, 2048 } };
    size_t shape_count = contest_quick() ? 3 : sizeof shapes / sizeof *shapes;
    for (int bf16 = 0; bf16 < 2; bf16++)
        for (size_t s = 0; s < shape_count; s++)
            bench(shapes[s][0], shapes[s][1], shapes[s][2], bf16);
    return 0;
}
