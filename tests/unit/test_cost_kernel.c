/* Problems of kernels: programs are settled and derived, and what their kernels move and hold is compared with what was
 * worked out by hand (the closed forms of the algorithms, and problems written down in cost_maker.h). */
#include "circuits.h"

#include "cost/bound.h"
#include "cost/form.h"
#include "cost/of_kernel.h"
#include "cost/relax.h"
#include "cost/solve.h"
#include "cost_maker.h"
#include "ir/point.h"

/* The whole program as one kernel. */
static const met_kernel *kernel_of(met_session *session, const char *program, const char *set, met_dtype dtype)
{
    met_point point = met_point_of(dtype);
    const met_circuit *settled = met_circuit_settle(circuit_of(session, program, set), &point);
    assert_non_null(settled);
    met_node_id nodes[64];
    assert_true(settled->node_count <= 64);
    for (uint32_t n = 0; n < settled->node_count; n++)
        nodes[n].id = n;
    met_refusal refusal;
    const met_kernel *kernel = met_kernel_derive(settled, settled->node_count, nodes, NULL, &refusal);
    if (!kernel)
        fail_msg("%s\n%s", program, refusal.reason);
    return kernel;
}

static const met_cost_problem *problem_of(met_session *session, const char *program, const char *set, met_liveness liveness)
{
    met_cost_view view = { .liveness = liveness };
    const met_cost_problem *p = met_cost_of_kernel(session->arena, kernel_of(session, program, set, MET_F32), &view);
    assert_non_null(p);
    assert_null(met_cost_problem_check(p));
    return p;
}

#define ATTENTION "'q d, x d -> q x' @ scale(d^-0.5) @ softmax[x] @ 'q x, x e -> q e'"

/* --- Closed forms --- */

static const struct {
    const char *program, *form;
    int64_t over, under; /* beta */
} forms[] = {
    { "f(a: i k, b: k j) -> c { c = 'i k, k j -> i j'(a, b) }", "i*j + 2*i*j*k/sqrt(M)", 1, 2 },
    { ATTENTION, "q*(d + e) + q*x*(d + e)^2/M", 1, 1 },
    { "f(q: q d, k: x d, v: x d) -> o { o = 'q x, x d -> q d'(l2norm[x](mask.causal[q x]('q d, x d -> q x'(q, k))), v) }",
      "2*q*d + 4*q*x*d^2/M", 1, 1 },
    { "f(q: k g n d, a: k x d, v: k x d) -> o { "
      "o = 'k g n x, k x d -> k g n d'(softmax[x]('k g n d, k x d -> k g n x'(q, a)), v) }",
      "2*k*g*n*d + 4*k*g*n*x*d^2/M", 1, 1 },
    { "f(x: n d) -> o { o = 'q x, x d -> q d'(softmax[x]('q d, x d -> q x'(x, x)), x) }", "2*n*d + 2*n^2*d^2/M", 1, 1 }, /* keys and values are one array */
    { "f(x: n m) -> y { y = linear[f -> p](relu(linear[m -> f](x))) }", "n*(m + p) + n*f*(m + p)^2/M", 1, 1 },
    { "f(x: n m, w: f m, u: f m, v: m f) -> y { "
      "y = 'n f, m f -> n m'(mul(silu('n m, f m -> n f'(x, w)), 'n m, f m -> n f'(x, u)), v) }",
      "2*n*m + 6*n*f*m^2/M", 1, 1 },
    { "f(x: n h d) -> y { y = linear[h d -> m](x) }", "n*m + 2*n*m*h*d/sqrt(M)", 1, 2 },
    { "f(x: n m, r: n p) -> y { y = add(linear[m -> p](x), r) }", "2*n*p + 2*n*p*m/sqrt(M)", 1, 2 },
    { "f(x: n m) -> y { y = logsumexp[v](linear[m -> v](x)) }", "n*(m + 1) + n*v*m*(m + 1)/M", 1, 1 },
    { "f(x: n m) -> y { y = silu(x) }", "2*n*m", 0, 1 },
    { "f(x: n m) -> y { y = rmsnorm[m](x, gain=no) }", "2*n*m", 0, 1 },
};

static void expect_form(const char *program, const char *want, met_ratio beta)
{
    met_session *session = met_session_new();
    met_cost_form form;
    const met_cost_problem *p = problem_of(session, program, "", MET_LIVENESS_TILES);
    assert_true(met_cost_form_of(session->arena, p, &form));
    if (met_ratio_compare(form.beta, beta) != 0)
        fail_msg("%s: exponent %lld/%lld", program, (long long)form.beta.over, (long long)form.beta.under);
    assert_true(form.closed);
    met_text text = met_text_new(session->arena);
    met_cost_form_print(&text, session->arena, &form, p);
    if (strcmp(met_text_done(&text), want) != 0)
        fail_msg("%s: %s, not %s", program, met_text_done(&text), want);
    met_session_free(session);
}

static void closed_forms(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        expect_form(forms[i].program, forms[i].form, met_ratio_of(forms[i].over, forms[i].under));
}

/* --- The same as by hand --- */

static void expect_same(const met_cost_problem *derived, const met_cost_problem *written, uint64_t capacity)
{
    met_arena *arena = met_arena_new();
    met_cost_solution a = met_cost_solve(arena, derived, capacity, NULL), b = met_cost_solve(arena, written, capacity, NULL);
    assert_int_equal(a.feasible, b.feasible);
    assert_int_equal(a.least_memory, b.least_memory);
    assert_int_equal(a.compulsory, b.compulsory);
    if (a.feasible) {
        assert_int_equal(a.traffic, b.traffic);
        assert_int_equal(a.memory, b.memory);
    }
    met_arena_free(arena);
}

static void attention_is_attention(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    maker m;
    uint64_t sizes[4] = { 1021, 2039, 80, 72 };
    for (int full = 0; full < 2; full++) {
        const met_cost_problem *derived =
            problem_of(session, ATTENTION, "q=1021,x=2039,d=80,e=72", full ? MET_LIVENESS_FULL : MET_LIVENESS_TILES);
        const met_cost_problem *written = make_attention(&m, session->arena, sizes, 1, 1, full);
        for (uint64_t capacity = 250; capacity < 400000; capacity = capacity * 3 / 2)
            expect_same(derived, written, capacity);
    }
    met_session_free(session);
}

static void mlp_is_mlp(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    maker m;
    for (uint64_t gates = 1; gates < 3; gates++) {
        const char *program = gates == 1 ? "f(x: n m) -> y { y = linear[f -> p](relu(linear[m -> f](x))) }" :
                                           "f(x: n m) -> y { y = linear[f -> p](mul(silu(linear[m -> f](x)), linear[m -> f](x))) }";
        const met_cost_problem *derived = problem_of(session, program, "n=777,m=96,f=288,p=96", MET_LIVENESS_FULL);
        const met_cost_problem *written = make_mlp(&m, session->arena, 777, 96, 288, 1, gates);
        for (uint64_t capacity = 350; capacity < 200000; capacity = capacity * 3 / 2)
            expect_same(derived, written, capacity);
    }
    met_session_free(session);
}

/* --- Arrays --- */

static const met_cost_array *array_named(const met_cost_problem *p, const char *name)
{
    for (uint32_t a = 0; a < p->array_count; a++)
        if (strcmp(p->arrays[a].name, name) == 0)
            return &p->arrays[a];
    fail_msg("no array %s", name);
    return NULL;
}

static uint64_t once(const met_cost_problem *p, const char *name)
{
    uint64_t whole[MET_KERNEL_LOOPS];
    for (uint32_t l = 0; l < p->loop_count; l++)
        whole[l] = p->loops[l].size;
    return met_cost_array_traffic(p, array_named(p, name), whole);
}

/* Values that are the keys are no second array. */
static void shared_array(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    const met_cost_problem *p = problem_of(session,
                                           "f(q: n h d, k: x d) -> o { o = 'n h x, x d -> n h d'(softmax[x]('n h d, x d -> n h x'(q, k)), k) }",
                                           "n=8,h=4,x=64,d=24", MET_LIVENESS_TILES);
    assert_int_equal(p->array_count, 3);
    assert_int_equal(once(p, "k"), 64 * 24);
    met_session_free(session);
}

static uint64_t once_in_all(const met_cost_problem *p, const char *name)
{
    uint64_t sum = 0;
    met_cost_problem one = *p;
    for (uint32_t a = 0; a < p->array_count; a++) {
        one.arrays = &p->arrays[a];
        one.array_count = 1;
        sum += strcmp(p->arrays[a].name, name) == 0 ? once(&one, name) : 0;
    }
    return sum;
}

/* A latent array whose columns are keys, the first of them values, and the others keys with positions: each column once. */
static void latent_array(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    const met_cost_problem *p = problem_of(session,
                                           "f(p: n h e, q: n h r, k: x d) -> o { a, b = split[d -> e, r](k)\n"
                                           "s = add('n h e, x e -> n h x'(p, a), 'n h r, x r -> n h x'(q, b))\n"
                                           "o = 'n h x, x e -> n h e'(softmax[x](s), a) }",
                                           "n=8,h=4,x=64,e=16,r=5", MET_LIVENESS_TILES);
    assert_int_equal(once_in_all(p, "k"), 64 * (16 + 5));
    met_session_free(session);
}

/* Tables give a row for each id; a window reads what its positions span; a part of a concatenation has its own size. */
static void reads(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    assert_int_equal(once(problem_of(session, "f(t: i32[n]) -> y { y = embed[v -> m](t, @w) }", "n=5,v=1000,m=7", MET_LIVENESS_FULL), "w"),
                     5 * 7);
    const met_cost_problem *window = problem_of(session, "f(x: t) -> y { y = view[o k <- 2*o + k](x) }", "t=21,o=10,k=3", MET_LIVENESS_FULL);
    assert_int_equal(once(window, "x"), 2 * 9 + 2 + 1);
    const met_cost_problem *joined = problem_of(session, "f(a: n i, b: n j) -> y { y = concat[x](a, b) }", "n=3,i=4,j=5", MET_LIVENESS_FULL);
    assert_int_equal(once(joined, "a"), 12);
    assert_int_equal(once(joined, "b"), 15);
    assert_int_equal(once(joined, "y"), 27);
    met_session_free(session);
}

/* What two passes read, they read twice, unless one slice is all of it. */
static void passes(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    const met_cost_problem *p =
        problem_of(session, "f(x: n m) -> y { y = linear[m -> p](rmsnorm[m](x, gain=no)) }", "n=6,m=8,p=5", MET_LIVENESS_TILES);
    const met_cost_array *x = array_named(p, "x");
    assert_int_equal(x->passes, 2);
    uint64_t tile[MET_KERNEL_LOOPS];
    for (uint32_t l = 0; l < p->loop_count; l++)
        tile[l] = p->loops[l].size;
    assert_int_equal(met_cost_array_traffic(p, x, tile), 48);
    for (uint32_t l = 0; l < p->loop_count; l++)
        tile[l] = p->loops[l].partition == MET_PARTITION_STREAM ? 3 : tile[l];
    assert_int_equal(met_cost_array_traffic(p, x, tile), 96);
    met_session_free(session);
}

/* --- Units and granules --- */

static void widths(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    const met_kernel *kernel = kernel_of(session, "f(x: n m) -> y { y = linear[m -> p](x) }", "n=64,m=64,p=64", MET_BF16);
    met_cost_view view = { .measure = MET_COST_BYTES };
    const met_cost_problem *p = met_cost_of_kernel(session->arena, kernel, &view);
    uint64_t tile[3] = { 0 };
    for (uint32_t l = 0; l < p->loop_count; l++)
        tile[l] = p->loops[l].partition == MET_PARTITION_STREAM ? 2 : 8;
    /* two bytes a value in memory above; sums are four bytes wide until they are stored */
    assert_int_equal(met_cost_traffic(p, tile), p->unit * 2 * (2 * 64 * 64 * 8 + 64 * 64));
    assert_int_equal(met_cost_memory(p, tile), p->unit * (2 * 2 * 8 * 2 + 4 * 8 * 8));
    met_session_free(session);
}

static void granules(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    const met_kernel *kernel = kernel_of(session, "'k g n d, k x d -> k g n x' @ softmax[x] @ 'k g n x, k x d -> k g n d'",
                                         "k=8,g=4,n=512,x=512,d=64", MET_F32);
    met_cost_granule list[] = { { met_str_of("tile"), 16 }, { met_str_of("stream"), 8 }, { met_str_of("g"), 2 } };
    met_cost_view view = { .granule_count = 3, .granules = list };
    const met_cost_problem *p = met_cost_of_kernel(session->arena, kernel, &view);
    for (uint32_t l = 0; l < p->loop_count; l++) { /* every array has k, and g is small: the rule for tiles is not for them */
        const char *name = p->loops[l].name;
        uint64_t want = strcmp(name, "n") == 0 ? 16 : strcmp(name, "x") == 0 ? 8 : strcmp(name, "g") == 0 ? 2 : 1;
        assert_int_equal(p->loops[l].granule, want);
    }
    met_session_free(session);
}

/* A loop below its granule is one tile, and takes the room of the granule. */
static void padding(void **state)
{
    (void)state;
    met_arena *arena = met_arena_new();
    maker m;
    const met_cost_problem *p = make_matmul(&m, arena, 5, 40, 64, 16, 8);
    met_cost_solution s = met_cost_solve(arena, p, 1000, NULL);
    assert_true(s.feasible);
    assert_int_equal(s.tile[0], 5);
    assert_int_equal(s.tile[1], 32); /* 16·32 + 8·(16 + 32) = 896; with 48 columns it would be 1280 */
    assert_int_equal(s.memory, 896);
    assert_int_equal(s.traffic, 5 * 40 * 2 + 40 * 64 + 5 * 64);
    assert_int_equal(s.least_memory, 16 * 16 + 8 * 32);
    met_arena_free(arena);
}

/* --- Certificates --- */

/* The real optimum of one stream lies below the best whole tiles, and a proven bound below both. */
static void bounds_are_below(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    const met_kernel *kernel = kernel_of(session, "f(a: i k, b: k j) -> c { c = 'i k, k j -> i j'(a, b) }", "i=300,k=900,j=500", MET_F32);
    met_cost_view view = { .liveness = MET_LIVENESS_FULL };
    const met_cost_problem *p = met_cost_of_kernel(session->arena, kernel, &view);
    int proven = 0;
    for (uint64_t capacity = 3; capacity < 1000000; capacity = capacity * 5 / 4 + 1) {
        met_cost_solution s = met_cost_solve(session->arena, p, capacity, NULL);
        met_cost_relaxed relaxed;
        double bound;
        assert_true(s.feasible && met_cost_relax(p, (double)capacity, true, &relaxed));
        assert_true(relaxed.traffic <= (double)s.traffic * (1 + 1e-12));
        assert_true(s.traffic >= s.compulsory);
        if (!met_cost_lower_bound(kernel, p, capacity, &bound))
            continue;
        proven++;
        assert_true(bound <= relaxed.traffic * (1 + 1e-12));
        assert_true(900 >= 2 * sqrt((double)capacity));
    }
    assert_true(proven > 20);
    met_session_free(session);
}

static void search_that_is_cut_short_says_so(void **state)
{
    (void)state;
    met_arena *arena = met_arena_new();
    maker m;
    const met_cost_problem *p = make_matmul(&m, arena, 4099, 5000, 4111, 1, 1);
    met_cost_solution whole = met_cost_solve(arena, p, 5000, NULL);
    met_cost_solution cut = met_cost_solve(arena, p, 5000, &(met_cost_limits){ .steps = 3 });
    assert_true(whole.proven && !cut.proven);
    assert_true(!cut.feasible || cut.traffic >= whole.traffic);
    met_arena_free(arena);
}

/* What does not fit 64 bits is told apart from what does. */
static void beyond(void **state)
{
    (void)state;
    met_arena *arena = met_arena_new();
    maker m;
    uint64_t large = (uint64_t)1 << 40;
    met_cost_solution s = met_cost_solve(arena, make_matmul(&m, arena, large, large, 64, 1, 1), 1 << 20, NULL);
    assert_int_equal(s.compulsory, MET_BEYOND);
    assert_true(!s.feasible || s.traffic == MET_BEYOND);
    met_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms),
        cmocka_unit_test(attention_is_attention),
        cmocka_unit_test(mlp_is_mlp),
        cmocka_unit_test(shared_array),
        cmocka_unit_test(latent_array),
        cmocka_unit_test(reads),
        cmocka_unit_test(passes),
        cmocka_unit_test(widths),
        cmocka_unit_test(granules),
        cmocka_unit_test(padding),
        cmocka_unit_test(bounds_are_below),
        cmocka_unit_test(search_that_is_cut_short_says_so),
        cmocka_unit_test(beyond),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
