/* Attention of 8 heads against ONNX Runtime: causal and not, and one query on a cache of keys and values. */
#include <stdio.h>

#include "attention.h"

enum { HEADS = 8 };

static void run(const char *title, attention *work, entrant *entrants, size_t count)
{
    contest c = { .title = title, .unit = "GF/s", .work = attention_flops(work), .measure = contest_fma_f32, .entrants = entrants,
                  .count = count };
    contest_run(&c);
    contest_close(&c);
    attention_free(work);
}

static void bench(size_t n, size_t d, bool causal)
{
    attention *work = attention_new((attention){ .n = n, .x = n, .h = HEADS, .g = HEADS, .d = d, .causal = causal });
    char title[80];
    snprintf(title, sizeof title, "attention f32 n %zu, d %zu%s", n, d, causal ? ", causal" : "");
    entrant entrants[] = { met_attention(work, NULL), met_attention(work, "none"), peer_onnx_attention(work, false),
                           peer_onnx_attention(work, true) };
    if (n > 2048)
        entrants[1].absent = "its scores alone are more than half a GiB";
    if (!causal)
        entrants[3].absent = "is always causal";
    run(title, work, entrants, sizeof entrants / sizeof *entrants);
}

/* A query that is the last position sees every key. */
static void bench_decode(void)
{
    attention *work = attention_new((attention){ .n = 1, .x = 8192, .h = 32, .g = 4, .d = 64, .causal = true, .cache = true });
    entrant entrants[] = { met_attention(work, NULL), plain_attention(work), peer_onnx_attention(work, true) };
    run("decode f32 32 heads on 4, x 8192, d 64", work, entrants, sizeof entrants / sizeof *entrants);
}

int main(int count, char **arguments)
{
    (void)count;
    contest_start(arguments);
    bench_decode();
    size_t most = contest_quick() ? 1024 : 8192;
    for (size_t d = 64; d <= 128; d += 64)
        for (size_t n = 512; n <= most; n *= 2) {
            bench(n, d, false);
            bench(n, d, true);
        }
    return 0;
}
