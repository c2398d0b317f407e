/* Routers and experts against plain loops of their definitions, and what circuits with them count. */
#include "circuits.h"

#include "models.h"

#include "ir/flops.h"

enum { ROWS = 7, GROUPS = 4, MEMBERS = 6, EXPERTS = GROUPS * MEMBERS, SLOTS = 5 };

static double noise(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(*state >> 33) / 0x1p30 - 1;
}

static void fill(double *at, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++)
        at[i] = noise(&seed);
}

/* --- The router by sorting --- */

typedef struct choice {
    double by;
    int which;
} choice;

static int falling(const void *a, const void *b)
{
    const choice *x = a, *y = b;
    return x->by != y->by ? (x->by > y->by ? -1 : 1) : x->which - y->which;
}

typedef struct router {
    bool sigmoid, bias, renormalize, two;
    int top_groups; /* 0: no limit */
    double scale;
} router;

static double group_worth(const router *r, const double *members)
{
    choice sorted[MEMBERS];
    for (int j = 0; j < MEMBERS; j++)
        sorted[j] = (choice){ members[j], j };
    qsort(sorted, MEMBERS, sizeof *sorted, falling);
    return r->two ? sorted[0].by + sorted[1].by : sorted[0].by;
}

static void route(const router *r, const double *x, const double *bias, double *ret_weights, double *ret_ids)
{
    double score[EXPERTS], by[EXPERTS], sum = 0;
    choice groups[GROUPS], experts[EXPERTS];
    bool in[GROUPS] = { false };
    for (int e = 0; e < EXPERTS; e++)
        sum += exp(x[e]);
    for (int e = 0; e < EXPERTS; e++) {
        score[e] = r->sigmoid ? 1 / (1 + exp(-x[e])) : exp(x[e]) / sum;
        by[e] = score[e] + (r->bias ? bias[e] : 0);
    }
    for (int g = 0; g < GROUPS; g++)
        groups[g] = (choice){ group_worth(r, by + g * MEMBERS), g };
    qsort(groups, GROUPS, sizeof *groups, falling);
    for (int g = 0; g < (r->top_groups ? r->top_groups : GROUPS); g++)
        in[groups[g].which] = true;
    for (int e = 0; e < EXPERTS; e++)
        experts[e] = (choice){ in[e / MEMBERS] ? by[e] : -1e300, e };
    qsort(experts, EXPERTS, sizeof *experts, falling);
    sum = 0;
    for (int k = 0; k < SLOTS; k++)
        sum += score[experts[k].which];
    for (int k = 0; k < SLOTS; k++) {
        ret_ids[k] = experts[k].which;
        ret_weights[k] = score[experts[k].which] * r->scale / (r->renormalize ? sum : 1);
    }
}

/* Nothing is lost but roundings: sums of EXPERTS terms in (0, 1), a quotient and a product, each of relative error u, and
 * functions of a few u: 64 u is more than all of that. */
static void routers(void **state)
{
    (void)state;
    static const router kinds[] = {
        { false, false, false, false, 0, 1 }, { false, false, true, false, 0, 1 },   { true, true, true, true, 2, 2.5 },
        { true, true, false, false, 3, 1 },   { false, false, true, false, 1, 1.5 }, { true, false, true, true, 2, 1 },
    };
    double x[ROWS * EXPERTS], bias[EXPERTS], weights[ROWS * SLOTS], ids[ROWS * SLOTS];
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const router *r = &kinds[i];
        met_session *session = met_session_new();
        char program[512];
        snprintf(program, sizeof program,
                 "x: n g e\np, i = router[g e -> k=5](x%s, scores=%s, renormalize=%s, scale=%g, top_groups=%d, group_score=%s)\n-> p, i",
                 r->bias ? ", @bias" : "", r->sigmoid ? "sigmoid" : "softmax", r->renormalize ? "yes" : "no", r->scale,
                 r->top_groups, r->two ? "best_two" : "best");
        const met_circuit *c = circuit_of(session, program, "n=7,g=4,e=6");
        fill(x, ROWS * EXPERTS, 11 + i);
        fill(bias, EXPERTS, 99 + i);
        for (int n = 0; n < ROWS; n++)
            route(r, x + n * EXPERTS, bias, weights + n * SLOTS, ids + n * SLOTS);
        const met_eval_result *result = run_flat(c, NULL, r->bias ? 2 : 1, (const double *[]){ x, bias });
        expect_close(program, ROWS * SLOTS, result->arrays[1].tensor->values, ids, 0);
        expect_close(program, ROWS * SLOTS, result->arrays[0].tensor->values, weights, 64 * 0x1p-53 * r->scale);
        met_session_free(session);
    }
}

/* --- Experts by loops --- */

enum { TOKENS = 5, PICKS = 3, WIDTH = 300, OUT = 4, TABLE = 6 };

/* Integers, so that every order of summation gives the same. Ids outside of the table give nothing. The width is more than
 * one strip of the interpreter. */
static void contractions(void **state)
{
    (void)state;
    static double x[TOKENS * WIDTH], ids[TOKENS * PICKS], w[TABLE * OUT * WIDTH], want[TOKENS * PICKS * OUT], folded[TOKENS * OUT];
    uint64_t seed = 5;
    for (size_t i = 0; i < TOKENS * WIDTH; i++)
        x[i] = rint(8 * noise(&seed));
    for (size_t i = 0; i < TABLE * OUT * WIDTH; i++)
        w[i] = rint(8 * noise(&seed));
    for (int i = 0; i < TOKENS * PICKS; i++)
        ids[i] = i % (TABLE + 3) - 1;
    for (int n = 0; n < TOKENS; n++)
        for (int k = 0; k < PICKS; k++)
            for (int f = 0; f < OUT; f++) {
                double sum = 0;
                int id = (int)ids[n * PICKS + k];
                for (int m = 0; m < WIDTH && id >= 0 && id < TABLE; m++)
                    sum += x[n * WIDTH + m] * w[(id * OUT + f) * WIDTH + m];
                want[(n * PICKS + k) * OUT + f] = sum;
                folded[n * OUT + f] += sum;
            }
    met_session *session = met_session_new();
    const met_circuit *c = circuit_of(session, "x: n m, i: i32[n k]\nexpert['n m, n k, e f m -> n k f'](x, i, @w)", "n=5,m=300,k=3,e=6,f=4");
    const met_eval_result *result = run_flat(c, NULL, 3, (const double *[]){ x, ids, w });
    expect_close("experts", TOKENS * PICKS * OUT, result->arrays[0].tensor->values, want, 0);
    c = circuit_of(session, "x: n m, i: i32[n k]\nexpert['n m, n k, e f m -> n f'](x, i, @w)", "n=5,m=300,k=3,e=6,f=4");
    result = run_flat(c, NULL, 3, (const double *[]){ x, ids, w });
    expect_close("experts, folded", TOKENS * OUT, result->arrays[0].tensor->values, folded, 0);
    met_session_free(session);
}

/* --- Counts --- */

/* The experts that are read count, not those that are there. */
static void flops(void **state)
{
    (void)state;
    static const char *const sets[] = { "n=3,m=5,k=2,e=4,f=7", "n=3,m=5,k=2,e=400,f=7" };
    for (int i = 0; i < 2; i++) {
        met_session *session = met_session_new();
        uint64_t count;
        const met_circuit *c = circuit_of(session, "x: n m, i: i32[n k]\nexpert['n m, n k, e f m -> n k f'](x, i, @w)", sets[i]);
        assert_true(met_circuit_flops(c, &count));
        assert_int_equal(count, 2 * 3 * 2 * 7 * 5);
        met_session_free(session);
    }
}

/* Totals that the models' makers and libraries publish; DeepSeek-V3 without the layers that predict further tokens. */
static void totals(void **state)
{
    (void)state;
    static const struct {
        const char *arch, *example;
        uint64_t parameters;
    } known[] = {
        { "mixtral", "mixtral-8x7b", 46702792704 }, { "qwen3_moe", "qwen3-30b-a3b", 30532122624 },
        { "deepseek_v3", "deepseek-v3", 671026419200 },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        met_session *session = met_session_new();
        char path[512];
        uint64_t count;
        snprintf(path, sizeof path, MET_ROOT_DIR "/examples/%s/config.json", known[i].example);
        for (int mode = 0; mode < 2; mode++) {
            const met_circuit *c =
                model_of(session, known[i].arch, text_of_file(session, path), mode ? "decode" : "prefill", "");
            assert_true(met_circuit_parameter_count(c, &count));
            assert_int_equal(count, known[i].parameters);
        }
        met_session_free(session);
    }
}

/* --- What is refused --- */

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *program;
        met_code code;
        const char *words;
    } cases[] = {
        { "x: n e\nrouter[e -> k=2](x, top_groups=1)", MET_DIAG_label, "or two if it chooses groups first" },
        { "x: n a b c\nrouter[a b c -> k=2](x)", MET_DIAG_label, "takes one target" },
        { "x: n e\nrouter[e -> k=2](x, scores=tanh)", MET_DIAG_unknown_option, "softmax" },
        { "x: n m, i: i32[n]\nexpert[m](x, i, @w)", MET_DIAG_label, "a signature is missing" },
        { "x: n m, i: i32[n]\nexpert['n m, n, f m -> n f'](x, i, @w)", MET_DIAG_label, "stands in that array alone" },
        { "x: n m, i: i32[n]\nexpert['n m, n, e c f m -> n f'](x, i, @w)", MET_DIAG_label, "stands in that array alone" },
        { "x: n m, i: f32[n]\nexpert['n m, n, e f m -> n f'](x, i, @w)", MET_DIAG_format, "i32" },
        { "x: n m, i: i32[n k]\ndispatch['n m, n k -> n m'](x, i)", MET_DIAG_label, "missing in the result" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        met_session *session = met_session_new();
        uint32_t source = met_session_add_source(session, "test", cases[i].program, strlen(cases[i].program));
        if (met_circuit_read(session, source, NULL))
            fail_msg("accepted:\n%s", cases[i].program);
        expect_diag(session, cases[i].code, cases[i].words);
        met_session_free(session);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(routers), cmocka_unit_test(contractions), cmocka_unit_test(flops),
        cmocka_unit_test(totals),  cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
