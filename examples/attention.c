/* Attention through the library: built from terms, listed, run, and checked against plain loops.
 *
 *     cc attention.c $(pkg-config --cflags --libs met) -o attention && ./attention
 */
#include <math.h>
#include <stdio.h>

#include "met/eval.h"
#include "met/term.h"

enum { Q = 5, X = 7, H = 2, D = 4 };

/* What the fill `wave` puts at position i of array number j. */
static double wave(int j, int i)
{
    return 0.5 * sin(0.7 * i + 1.3 * j + 0.1);
}

/* Element (q, h, d) of softmax(Q·K/sqrt(D))·V, with the sums written out. */
static double attend(int q, int h, int d)
{
    double score[X], largest = -INFINITY, total = 0, mixed = 0;
    for (int x = 0; x < X; x++) {
        score[x] = 0;
        for (int k = 0; k < D; k++)
            score[x] += wave(0, (q * H + h) * D + k) * wave(1, (x * H + h) * D + k);
        score[x] /= sqrt(D);
        largest = fmax(largest, score[x]);
    }
    for (int x = 0; x < X; x++) {
        total += exp(score[x] - largest);
        mixed += exp(score[x] - largest) * wave(2, (x * H + h) * D + d);
    }
    return mixed / total;
}

static double worst_difference(const met_tensor *out)
{
    double worst = 0;
    for (int q = 0; q < Q; q++)
        for (int h = 0; h < H; h++)
            for (int d = 0; d < D; d++)
                worst = fmax(worst, fabs(out->values[(q * H + h) * D + d] - attend(q, h, d)));
    return worst;
}

static int demonstrate(met_session *session)
{
    met_span nowhere = { 0 };
    met_builder *builder = met_builder_new(session);
    met_term *scores = met_term_read(builder, "'q h d, x h d -> h q x' @ scale(d^-0.5)");
    met_term *mix = met_term_read(builder, "softmax[x] @ 'h q x, x h d -> q h d'");
    met_term *attention = met_term_compose(builder, scores, mix, nowhere);
    met_circuit *circuit = met_term_circuit(builder, attention, "attention", NULL);
    if (!circuit)
        return 1;
    fputs(met_circuit_listing(circuit, false), stdout);

    met_circuit *bound = met_circuit_bind(circuit, "q=5,x=7,h=2,d=4");
    met_eval_options options = { .dtype = "f64", .fill = "wave" };
    const met_eval_result *result = bound ? met_eval_run(bound, &options, 0, NULL) : NULL;
    if (!result)
        return 1;
    double worst = worst_difference(result->arrays[0].tensor);
    /* Two orders of summing at most 7 and 4 terms of size below 1: a few units in the last place of 1. */
    double bound_on_it = 64 * 2.220446049250313e-16;
    printf("largest difference from plain loops: %s 64 ulp of 1\n", worst <= bound_on_it ? "within" : "BEYOND");
    return worst <= bound_on_it ? 0 : 1;
}

int main(void)
{
    met_session *session = met_session_new();
    int status = demonstrate(session);
    fputs(met_session_diagnostics_text(session), stderr);
    met_session_free(session);
    return status;
}
