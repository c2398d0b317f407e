/* Norms, rotary positions and activations with the matmuls that they stand between. */
#include <stdio.h>

#include "glue.h"

enum { WIDTH = 2048, INNER = 5632, HEAD = 64 };

static void bench(size_t rows, bool rotary)
{
    glue *work = rotary ? glue_new(rows, WIDTH, WIDTH, HEAD, true) : glue_new(rows, WIDTH, INNER, HEAD, false);
    char title[80];
    const char *what = rotary ? "norm, linear, rope" : "norm, gated feed-forward";
    snprintf(title, sizeof title, "%s, %zu row%s", what, rows, rows == 1 ? "" : "s");
    entrant entrants[] = { met_glue(work, NULL), met_glue(work, "none"), peer_glue(work) };
    contest c = { .title = title, .unit = "GF/s", .work = glue_flops(work), .measure = contest_fma_f32, .entrants = entrants,
                  .count = sizeof entrants / sizeof *entrants };
    contest_run(&c);
    contest_close(&c);
    glue_free(work);
}

int main(int count, char **arguments)
{
    (void)count;
    contest_start(arguments);
    for (size_t rows = 1; rows <= (contest_quick() ? 1 : 128); rows *= 128) {
        bench(rows, true);
        bench(rows, false);
    }
    return 0;
}
