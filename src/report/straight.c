/* Bounds of straight-line programs as text (docs/straight.md). */
#include "met/straight.h"

#include <inttypes.h>
#include <math.h>

#include "base/diag.h"
#include "base/text.h"

/* Terms shown to people, and the digits of bounds, which are rounded up. */
enum { SHOWN = 5, DIGITS = 4 };

static void put_up(met_text *out, double bound)
{
    met_text_double_above(out, bound, DIGITS);
}

static void put_range(met_text *out, const char *name, double lo, double hi)
{
    met_text_format(out, "  %s in [", name);
    met_text_double_digits(out, lo, 6);
    met_text_put(out, ", ");
    met_text_double_digits(out, hi, 6);
    met_text_put(out, "]");
}

static void put_terms(met_session *session, met_text *out, const met_straight_answer *answer)
{
    size_t shown = answer->term_count < SHOWN ? answer->term_count : SHOWN;
    double sum = 0;
    for (size_t i = 0; i < answer->term_count; i++)
        sum += answer->terms[i].share;
    if (shown)
        met_text_put(out, "  from the rounding of\n");
    for (size_t i = 0; i < shown; i++) {
        const met_straight_term *term = &answer->terms[i];
        uint32_t line, column;
        met_source_position(met_session_source(session, term->span.source), term->span.begin, &line, &column);
        met_text_put(out, "    ");
        size_t start = out->length;
        put_up(out, term->share);
        met_text_pad(out, start, 11);
        met_text_format(out, "%3.0f %%  %" PRIu32 ":%" PRIu32, 100 * term->share / sum, line, column);
        met_text_pad(out, start, 27);
        met_text_format(out, " %s\n", term->text);
    }
    if (shown < answer->term_count)
        met_text_format(out, "    and %zu more\n", answer->term_count - shown);
}

static void put_bounds(met_text *out, const met_straight_answer *answer)
{
    met_text_put(out, "  |computed - exact| <= ");
    put_up(out, answer->absolute);
    if (answer->reached > 0) {
        met_text_put(out, " (the same sum at a single point: ");
        met_text_double_digits(out, answer->reached, DIGITS);
        met_text_put(out, ")");
    }
    met_text_put(out, "\n  relative           ");
    if (isfinite(answer->relative)) {
        met_text_put(out, "<= ");
        put_up(out, answer->relative);
    } else {
        met_text_put(out, "not bounded");
    }
    met_text_put(out, "\n");
    put_range(out, "exact results", answer->lo, answer->hi);
    met_text_put(out, "\n");
}

static void put_answer(met_session *session, met_text *out, const met_straight_answer *answer, const met_straight_options *options)
{
    met_text_format(out, "%s: %s, %s inputs\n", *answer->name ? answer->name : "a program", answer->precision,
                    options->rounded_inputs ? "rounded" : "exact");
    if (isinf(answer->absolute))
        met_text_format(out, "  no bound: %s\n", answer->why);
    else
        put_bounds(out, answer);
    for (size_t i = 0; i < answer->argument_count; i++) {
        const met_straight_argument *a = &answer->arguments[i];
        put_range(out, a->name, a->lo, a->hi);
        if (!answer->why && (a->worst_lo != a->lo || a->worst_hi != a->hi))
            put_range(out, "worst", a->worst_lo, a->worst_hi);
        met_text_put(out, "\n");
    }
    if (answer->conditions)
        met_text_format(out, "  where %zu further condition%s hold%s\n", answer->conditions, answer->conditions == 1 ? "" : "s",
                        answer->conditions == 1 ? "s" : "");
    if (answer->ignored)
        met_text_format(out, "  %zu condition%s passed over\n", answer->ignored, answer->ignored == 1 ? "" : "s");
    if (!answer->always_defined && !answer->why)
        met_text_put(out, "  where no root is taken of what is negative: here that may happen\n");
    if (answer->library && !answer->why) {
        met_text_put(out, "  if the library's functions are within ");
        met_text_double(out, options->ulps > 0 ? options->ulps : 1);
        met_text_put(out, " ulp\n");
    }
    put_terms(session, out, answer);
}

const char *met_straight_text(met_session *session, uint32_t source, const met_straight_options *options)
{
    size_t count;
    const met_straight_answer *answers = met_straight_bound(session, source, options, &count);
    met_text out = met_text_new(session->arena);
    for (size_t i = 0; answers && i < count; i++) {
        met_text_put(&out, i ? "\n" : "");
        put_answer(session, &out, &answers[i], options);
    }
    return answers ? met_text_done(&out) : NULL;
}
