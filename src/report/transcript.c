#include "met/transcript.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double *row_of(const met_transcript *t, size_t row)
{
    assert(row < t->row_count);
    return t->scores + row * t->vocabulary;
}

/* --- Tokens --- */

double met_score_margin(size_t count, const double *scores)
{
    size_t best = 0;
    double second = -INFINITY;
    for (size_t i = 1; i < count; i++)
        if (scores[i] > scores[best])
            best = i;
    for (size_t i = 0; i < count; i++)
        if (i != best && scores[i] > second)
            second = scores[i];
    return count > 1 ? scores[best] - second : 0;
}

void met_score_top(size_t count, const double *scores, size_t top, uint32_t *ret_tokens)
{
    for (size_t k = 0; k < top && k < count; k++) {
        size_t best = count;
        for (size_t i = 0; i < count; i++) {
            bool taken = false;
            for (size_t j = 0; j < k; j++)
                taken = taken || ret_tokens[j] == i;
            if (!taken && (best == count || scores[i] > scores[best]))
                best = i;
        }
        ret_tokens[k] = (uint32_t)best;
    }
}

static double largest_difference(size_t count, const double *a, const double *b)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        double apart = a[i] == b[i] ? 0 : fabs(a[i] - b[i]); /* infinities that are the same are not apart */
        if (!(apart <= largest))
            largest = apart;
        if (isnan(largest))
            break;
    }
    return largest;
}

met_transcript_match met_transcript_compare(const met_transcript *a, const met_transcript *b)
{
    size_t both = a->count < b->count ? a->count : b->count;
    met_transcript_match match = { .positions = a->count > b->count ? a->count : b->count };
    while (match.same < both && a->tokens[match.same] == b->tokens[match.same])
        match.same++;
    if (match.same == both)
        return match;
    const double *of_a = row_of(a, a->prompt_count - 1 + match.same), *of_b = row_of(b, b->prompt_count - 1 + match.same);
    match.chose = true;
    match.a_token = a->tokens[match.same];
    match.b_token = b->tokens[match.same];
    match.a_margin = met_score_margin(a->vocabulary, of_a);
    match.b_margin = met_score_margin(b->vocabulary, of_b);
    match.apart = a->vocabulary == b->vocabulary ? largest_difference(a->vocabulary, of_a, of_b) : NAN;
    return match;
}

double met_transcript_rate(const met_transcript_match *match)
{
    return match->positions ? (double)match->same / (double)match->positions : 1;
}

/* --- Scores --- */

static size_t different_bytes(const met_transcript *a, const met_transcript *b, size_t row)
{
    size_t n = a->vocabulary, different = 0;
    if (a->size != b->size || strcmp(a->format, b->format) != 0)
        return n;
    for (size_t i = row * n; i < (row + 1) * n; i++)
        different += memcmp(a->bytes + i * a->size, b->bytes + i * b->size, a->size) != 0;
    return different;
}

/* The logarithm of Σ e^x, with the largest taken out so that nothing overflows. */
static double log_sum_exp(size_t count, const double *x)
{
    double largest = x[0], sum = 0;
    for (size_t i = 1; i < count; i++)
        largest = x[i] > largest ? x[i] : largest;
    for (size_t i = 0; i < count; i++)
        sum += exp(x[i] - largest);
    return largest + log(sum);
}

/* Σ p·(log p − log q), the p of a and the q of b (Kullback and Leibler 1951). What has no weight in a adds nothing. */
static double divergence(size_t count, const double *a, const double *b)
{
    double of_a = log_sum_exp(count, a), of_b = log_sum_exp(count, b), sum = 0;
    for (size_t i = 0; i < count; i++) {
        double p = exp(a[i] - of_a);
        if (p != 0)
            sum += p * ((a[i] - of_a) - (b[i] - of_b));
    }
    return sum < 0 ? 0 : sum; /* it is never negative; its rounding may be */
}

met_score_distance met_score_compare(const met_transcript *a, const met_transcript *b, size_t row)
{
    assert(a->vocabulary == b->vocabulary && a->vocabulary > 0);
    const double *x = row_of(a, row), *y = row_of(b, row);
    met_score_distance out = { .different = different_bytes(a, b, row), .cosine = 1 };
    double xx = 0, yy = 0, xy = 0, dd = 0;
    for (size_t i = 0; i < a->vocabulary; i++) {
        double d = x[i] - y[i];
        xx += x[i] * x[i];
        yy += y[i] * y[i];
        xy += x[i] * y[i];
        dd += d * d;
    }
    out.max_abs = largest_difference(a->vocabulary, x, y);
    if (out.max_abs == 0)
        return out; /* the same numbers, whatever their bytes: exactly no distance */
    out.relative = sqrt(dd / xx);
    out.divergence = divergence(a->vocabulary, x, y);
    out.cosine = xy / (sqrt(xx) * sqrt(yy));
    return out;
}

static double larger(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

met_score_distance met_score_worst(met_score_distance a, met_score_distance b)
{
    return (met_score_distance){ .different = a.different + b.different,
                                 .max_abs = larger(a.max_abs, b.max_abs),
                                 .relative = larger(a.relative, b.relative),
                                 .divergence = larger(a.divergence, b.divergence),
                                 .cosine = -larger(-a.cosine, -b.cosine) };
}

size_t met_scores_first_difference(const met_transcript *a, const met_transcript *b)
{
    assert(a->row_count == b->row_count);
    for (size_t row = 0; row < a->row_count; row++)
        if (different_bytes(a, b, row) > 0)
            return row;
    return a->row_count;
}

/* --- Statistics --- */

double met_mean(size_t count, const double *values)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

/* The value of this rank, from 0; counts are small. */
static double ranked(size_t count, const double *values, size_t rank)
{
    for (size_t i = 0; i < count; i++) {
        size_t below = 0, equal = 0;
        for (size_t j = 0; j < count; j++) {
            below += values[j] < values[i];
            equal += values[j] == values[i];
        }
        if (below <= rank && rank < below + equal)
            return values[i];
    }
    return NAN;
}

double met_median(size_t count, const double *values)
{
    return count == 0 ? NAN : (ranked(count, values, (count - 1) / 2) + ranked(count, values, count / 2)) / 2;
}
