/* A kernel in a program of one's own: attention.c and attention.h were written by
 *
 *     met kernel build "'q h d, x h d -> h q x' @ scale(d^-0.5) @ mask.causal[q x] @ softmax[x] @ 'h q x, x h d -> q h d'" \
 *         --set q=37,x=50,h=2,d=8 --hardware cpu-scalar -o attention.c
 *
 * and need nothing of met. This program runs them, and, because it can, the library's interpreter on the same arrays: all
 * bytes are the same.
 *
 *     cc check.c attention.c $(pkg-config --cflags --libs met) -o check && ./check
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attention.h"
#include "met/circuit.h"
#include "met/eval.h"

enum { Q = 37, X = 50, H = 2, D = 8 };

static const char line[] =
    "'q h d, x h d -> h q x' @ scale(d^-0.5) @ mask.causal[q x] @ softmax[x] @ 'h q x, x h d -> q h d'";

/* Array number `array` of the fill `normal`, as floats. */
static void fill(size_t array, size_t count, float *values)
{
    static double wide[X * H * D];
    met_fill("normal", 1, array, 0, count, wide);
    for (size_t i = 0; i < count; i++)
        values[i] = (float)wide[i];
}

/* What the circuit means. NULL after saying what is wrong. */
static const met_tensor *reference(met_session *session)
{
    uint32_t source = met_session_add_source(session, "attention", line, strlen(line));
    met_circuit *circuit = met_circuit_read(session, source, NULL);
    met_eval_options options = { .dtype = "f32", .fill = "normal", .seed = 1 };
    circuit = circuit ? met_circuit_bind(circuit, "q=37,x=50,h=2,d=8") : NULL;
    const met_eval_result *result = circuit ? met_eval_run(circuit, &options, 0, NULL) : NULL;
    if (!result)
        fputs(met_session_diagnostics_text(session), stderr);
    return result ? result->arrays[0].tensor : NULL;
}

int main(void)
{
    enum { THREADS = 2 };
    static float q[Q * H * D], k[X * H * D], v[X * H * D], out[Q * H * D];
    size_t bytes = (ATTENTION_WORKSPACE(THREADS) + 63) / 64 * 64;
    void *workspace = aligned_alloc(64, bytes);
    if (!workspace)
        return 1;
    fill(0, Q * H * D, q);
    fill(1, X * H * D, k);
    fill(2, X * H * D, v);
    attention(q, k, v, out, workspace, THREADS);
    free(workspace);

    met_session *session = met_session_new();
    const met_tensor *expected = reference(session);
    size_t different = expected ? 0 : 1;
    for (size_t i = 0; expected && i < expected->count; i++) {
        float value = (float)expected->values[i];
        different += memcmp(&value, &out[i], sizeof value) != 0;
    }
    if (expected)
        printf("%zu of %d values differ from the interpreter's\n", different, Q * H * D);
    met_session_free(session);
    return different ? 1 : 0;
}
