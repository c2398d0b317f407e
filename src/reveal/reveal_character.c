/* What is said of a sum that no tree explains: what its answers prove. */
#include <math.h>

#include "number/exact.h"
#include "reveal/parts.h"

/* c + Σ a·b rounded once, products as they are (those of two f64 are not exact) or rounded to f32 first. */
static double exact_answer(const reveal *r, bool rounded)
{
    met_exact sum;
    met_exact_clear(&sum);
    met_exact_add(&sum, r->c);
    for (uint64_t i = 0; i < r->probe->n; i++) {
        double product = r->a[i] * r->b[i];
        met_exact_add(&sum, rounded ? (double)(float)product : product);
        met_exact_add(&sum, rounded ? 0 : fma(r->a[i], r->b[i], -product));
    }
    return met_exact_round(&sum, r->probe->output, MET_RNE);
}

static bool is_exact(const reveal *r, double answer)
{
    return answer == exact_answer(r, false) || answer == exact_answer(r, true);
}

/* Whether the answer is farther off than sums in f64 are. */
static bool is_far(const reveal *r, double answer)
{
    double off = fmin(fabs(answer - exact_answer(r, false)), fabs(answer - exact_answer(r, true))), size = fabs(r->c);
    for (uint64_t i = 0; i < r->probe->n; i++) {
        size += fabs(r->a[i] * r->b[i]);
    }
    return isfinite(answer) && off > size * 0x1p-40 + fabs(answer) * met_dtype_limits(r->probe->output).epsilon;
}

static void shuffle(reveal *r)
{
    for (uint64_t i = r->probe->n; i > 1; i--) {
        uint64_t j = reveal_random(r, i);
        double a = r->a[j], b = r->b[j];
        r->a[j] = r->a[i - 1];
        r->b[j] = r->b[i - 1];
        r->a[i - 1] = a;
        r->b[i - 1] = b;
    }
}

/* Positive terms: nothing cancels, so that what is compensated comes out as if it were exact. */
static void same_sign(reveal *r)
{
    for (uint64_t i = 0; i < r->probe->n; i++) {
        r->a[i] = fabs(r->a[i]);
        r->b[i] = fabs(r->b[i]);
    }
    r->c = fabs(r->c);
}

/* All terms, and so the answer of any order of additions, times 2^-8. */
static double ask_scaled(reveal *r)
{
    for (uint64_t i = 0; i < r->probe->n; i++) {
        r->a[i] = met_round(r->probe->input, r->a[i] * 0x1p-8);
    }
    r->c *= 0x1p-8;
    return reveal_ask(r) * 0x1p8;
}

typedef struct character {
    int close, far, moved, scaled;
} character;

static void look(reveal *r, character *seen)
{
    reveal_draw(r, REVEAL_NORMAL);
    same_sign(r);
    seen->close += is_exact(r, reveal_ask(r));
    reveal_draw(r, REVEAL_CANCEL);
    double answer = reveal_ask(r);
    seen->far += is_far(r, answer);
    shuffle(r);
    double moved = reveal_ask(r);
    seen->moved += !reveal_same_answer(answer, moved);
    seen->scaled += reveal_same_answer(moved, ask_scaled(r));
}

const char *reveal_character(reveal *r)
{
    enum { INPUTS = 64 };
    character seen = {0};
    bool sum = r->probe->kind == MET_PROBE_SUM || r->probe->kind == MET_PROBE_DOT;
    if (!sum || r->probe->scaled || r->leaves < 4) {
        return NULL;
    }
    for (int i = 0; i < INPUTS; i++) {
        look(r, &seen);
    }
    if (seen.moved == 0 && seen.far > 0) {
        /* Fixed point has no order either, but does not scale. */
        return seen.scaled == INPUTS ? "the order depends on the data: it does not depend on where the terms stand"
                                     : "the answer does not depend on where the terms stand, and no tree gives it";
    }
    return seen.close > INPUTS * 3 / 4 ? "as good as exact: compensated, or rounded once" : NULL;
}
