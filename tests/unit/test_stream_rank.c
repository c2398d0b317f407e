/* Ranks by sampling: as a function of what is streamed and of the statistics, the summand of a separable fold is a matrix of
 * exactly the derived rank, and one that is refused has no small rank. */
#include "streams.h"

enum { SIDE = 24 };

/* Values of one point of the stream and one set of statistics. */
typedef struct point {
    const met_region *region;
    uint32_t loop, fold;
    double *values;
} point;

static double eval(const point *p, const met_scalar *e)
{
    double of[3] = { 0, 0, 0 };
    if (e->kind == MET_SCALAR_NUMBER)
        return e->number;
    if (e->kind == MET_SCALAR_INPUT)
        return p->values[e->input];
    if (e->kind == MET_SCALAR_SIZE)
        return 1; /* so that means lie among the elements */
    for (int i = 0; i < 3; i++)
        if (e->arguments[i])
            of[i] = eval(p, e->arguments[i]);
    return met_scalar_fn_apply(e->fn, of[0], of[1], of[2]);
}

/* What is drawn for a value: numbers between 1/2 and 3, the same for the same value and index. */
static double drawn(uint32_t value, uint32_t index)
{
    dice d = { 0x2545f4914f6cdd1du + value * 977 + index * 31337 };
    for (int i = 0; i < 4; i++)
        roll(&d);
    return 0.5 + (double)(roll(&d) % 4096) / 1638.4;
}

/* The summand at stream point i and statistics k. */
static double summand(const point *p, uint32_t i, uint32_t k)
{
    for (uint32_t v = 0; v < p->region->value_count && v < p->fold; v++) {
        const met_region_value *value = &p->region->values[v];
        bool statistic = value->reduced >> p->loop & 1;
        if (value->input)
            p->values[v] = drawn(v, value->loops >> p->loop & 1 ? i : 0);
        else
            p->values[v] = statistic ? drawn(v, k + 100) : eval(p, value->e);
    }
    return eval(p, p->region->values[p->fold].e);
}

/* By elimination with full pivoting. */
static uint32_t rank_of(long double matrix[SIDE][SIDE], long double least)
{
    long double first = 0;
    for (uint32_t rank = 0; rank < SIDE; rank++) {
        uint32_t row = rank, column = rank;
        for (uint32_t i = rank; i < SIDE; i++)
            for (uint32_t k = rank; k < SIDE; k++)
                if (fabsl(matrix[i][k]) > fabsl(matrix[row][column])) {
                    row = i;
                    column = k;
                }
        long double pivot = matrix[row][column];
        first = rank == 0 ? fabsl(pivot) : first;
        if (fabsl(pivot) <= least * first)
            return rank;
        for (uint32_t k = 0; k < SIDE; k++) {
            long double swapped = matrix[rank][k];
            matrix[rank][k] = matrix[row][k];
            matrix[row][k] = swapped;
        }
        for (uint32_t i = 0; i < SIDE; i++) {
            long double swapped = matrix[i][rank];
            matrix[i][rank] = matrix[i][column];
            matrix[i][column] = swapped;
        }
        for (uint32_t i = rank + 1; i < SIDE; i++) {
            long double factor = matrix[i][rank] / matrix[rank][rank];
            for (uint32_t k = rank; k < SIDE; k++)
                matrix[i][k] -= factor * matrix[rank][k];
        }
    }
    return SIDE;
}

static void check_rank(const char *text)
{
    stream_test stream = stream_of(text, "x");
    point p = { stream.region, met_region_loop_find(stream.region, "x"), MET_NONE, MET_NEW_ARRAY(stream.arena, double, stream.region->value_count) };
    for (uint32_t v = 0; v < stream.region->value_count; v++)
        if (stream.region->values[v].reduced >> p.loop & 1)
            p.fold = v;
    assert_int_equal(stream.region->values[p.fold].fold, MET_REGION_SUM);
    long double matrix[SIDE][SIDE];
    for (uint32_t i = 0; i < SIDE; i++)
        for (uint32_t k = 0; k < SIDE; k++)
            matrix[i][k] = summand(&p, i, k);
    /* Summands are rounded to 53 bits: what is left of a dependent row is 10^-15 times a modest factor. */
    uint32_t rank = rank_of(matrix, 1e-13L);
    if (stream.term->streams && rank != stream.term->rank)
        fail_msg("%s: derived rank %u, sampled %u", text, stream.term->rank, rank);
    if (!stream.term->streams && rank < 7)
        fail_msg("%s: refused, but of rank %u", text, rank);
    stream_close(&stream);
}

static void test_ranks(void **state)
{
    static const char *const texts[] = {
        "y = sum[x] a*b",
        "m = max[x] s; z = sum[x] exp(s - m); y = sum[x] exp(s - m)/z*v",
        "m = max[x] s; z = sum[x] exp(s - m); p = exp(s - m)/z; y = sum[x] p*p*v",
        "m = max[x] s; z = sum[x] exp(s - m); p = exp(s - m)/z; y = sum[x] p*(s - m - log(z))",
        "n = sum[x] abs(s); y = sum[x] s/n*v",
        "n = sum[x] s*s; y = sum[x] relu(s/sqrt(n))*v",
        "n = sum[x] abs(s)^3; y = sum[x] s/n^(1/3)*v",
        "m = mean[x] a; v = mean[x] (a - m)*(a - m); y = sum[x] (a - m)*rsqrt(v + 1)*g*w",
        "m = mean[x] a; v = mean[x] (a - m)*(a - m); y = sum[x] ((a - m)*rsqrt(v + 1)*g + b)*w",
        "m = mean[x] a; y = sum[x] (a - m)*(a - m)",
        "m = mean[x] a; y = sum[x] (a - m)^3",
        "m = mean[x] a; y = sum[x] (a - m)^4",
        "ma = mean[x] a; mb = mean[x] b; y = sum[x] (a - ma)*(b - mb)",
        "n = sum[x] a; y = sum[x] a*log(a/n)",
        "n = sum[x] a; y = sum[x] sqrt(a/n)*w",
        "n = sum[x] a; m = sum[x] b; y = sum[x] (a/n - b/m)*(a/n - b/m)",
        "n = sum[x] a; y = sum[x] (a + b*n)*(c - n)",
        "n = sum[x] a*a; y = sum[x] 1/((a + 1)*(n + 2))",
        "n = sum[x] a*a; y = sum[x] sqrt((a + b)*n)",
        "m = max[x] a; y = sum[x] max(a + m, b + m)*c",
        "m = max[x] a; y = sum[x] 2^(a - m)*b",
        /* refused */
        "m = mean[x] a; y = sum[x] abs(a - m)",
        "m = mean[x] a; y = sum[x] relu(a - m)*w",
        "n = sum[x] s*s; y = sum[x] tanh(s/sqrt(n))*w",
        "n = max[x] abs(a); y = sum[x] exp(a/n)*w",
        "n = sum[x] a; y = sum[x] 1/(a + n)",
        "n = sum[x] a; y = sum[x] log(a + n)*w",
        "n = sum[x] a; y = sum[x] sqrt(a + n)",
        "n = sum[x] a; y = sum[x] sigmoid(a - n)",
        "n = sum[x] a; y = sum[x] a^n",
        "n = sum[x] a; y = sum[x] cos(a*n)",
        "n = mean[x] a; y = sum[x] select(a > n, b, c)",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_rank(texts[i]);
}

/* What cannot stream, the kind of reason, and the factor. */
static void test_refusals(void **state)
{
    static const struct {
        const char *text, *reason, *factor;
    } cases[] = {
        { "m = max[x] s; e = exp(s - m); z = sum[x] e; y = e/z", "keeps the axis", NULL },
        { "q = sum[x] a*a; y = a*rsqrt(q)", "keeps the axis", NULL },
        { "t = sparsemax_threshold[x] s; y = sum[x] relu(s - t)*v", "`sparsemax_threshold` depends on the whole set", NULL },
        { "t = entmax_threshold[x] s; y = sum[x] relu(s - t)^2*v", "`entmax_threshold` depends on the whole set", NULL },
        { "t = top_p_threshold[x] p; y = sum[x] select(p >= t, p, 0)*v", "`top_p_threshold` depends on the whole set", NULL },
        { "t = median[x] s; y = sum[x] s - t", "`median` depends on the whole set", NULL },
        { "n = sum[x] s*s; y = sum[x] tanh(s/sqrt(n))*w", "does not separate", "tanh(s*rsqrt(n))" },
        { "m = mean[x] a; y = sum[x] abs(a - m)*w", "does not separate", "abs(a - m)" },
        { "m = mean[x] a; y = sum[x] relu(a - m)*w", "is not known before the stream ends", "max(a - m, 0)" },
        { "n = max[x] abs(a); y = sum[x] exp(a/n)*w", "inside an exponent", "exp(a/n)" },
        { "n = sum[x] a; y = sum[x] w/(a + n)", "does not separate", "recip(a + n)" },
        { "m = mean[x] a; n = sum[x] abs(a - m); y = sum[x] a/n", "does not separate", "abs(a - m)" },
        { "n = sum[x] a; y = sum[x] relu(a*n)", "no known sign", NULL },
        { "n = sum[x] a; S = scan[x] (a*S + n)", "second pass", NULL },
        { "n = sum[x] a; y = prod[x] (a/n)", "does not come out of a prod", NULL },
        { "t = top_k[x -> k] s; y = sum[x k] relu(s - t)", "is not known before the stream ends", NULL },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stream_test stream = stream_of(cases[i].text, "x");
        const met_stream_term *term = stream.term;
        if (term->streams)
            fail_msg("%s streams", cases[i].text);
        if (!strstr(term->reason, cases[i].reason))
            fail_msg("%s: %s", cases[i].text, term->reason);
        if (cases[i].factor && (!term->factor || strcmp(term->factor, cases[i].factor) != 0))
            fail_msg("%s: factor %s", cases[i].text, term->factor ? term->factor : "none");
        stream_close(&stream);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_ranks), cmocka_unit_test(test_refusals) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
