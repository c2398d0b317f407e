/* Few rows on large weights, where reading the weights is all that takes time: 4096 x 11008 in f32 and bf16 with 1 row, and
 * f32 with 8 rows. Run after run takes the next of several copies of the weights, more than any cache holds. */
#include <stdio.h>

#include "array.h"
#include "machine.h"
#include "matmul.h"

enum { K = 4096, N = 11008 };

static void bench(size_t rows, bool bf16, void *memory)
{
    size_t copies = machine_round_bytes() / ((size_t)K * N * (bf16 ? 2 : 4)) + 1;
    matmul *work = matmul_new(rows, K, N, bf16, true, copies);
    char title[80];
    snprintf(title, sizeof title, "%zu x %d x %d %s, %zu copies", rows, K, N, bf16 ? "bf16" : "f32", copies);
    entrant entrants[] = { met_matmul(work, true, NULL), peer_openblas(work), peer_blis(work), peer_onednn(work, false),
                           peer_onednn(work, true) };
    contest c = { .title = title, .unit = "GB/s", .work = (double)matmul_weight_bytes(work), .entrants = entrants,
                  .count = sizeof entrants / sizeof *entrants, .measure = contest_read, .measure_context = memory };
    contest_run(&c);
    contest_close(&c);
    matmul_free(work);
}

int main(int count, char **arguments)
{
    (void)count;
    contest_start(arguments);
    void *memory = array_f32(machine_round_bytes() / sizeof(float), 1); /* pages that were never written are all one */
    bench(1, false, memory);
    bench(1, true, memory);
    bench(8, false, memory);
    array_free(memory, machine_round_bytes());
    return 0;
}
