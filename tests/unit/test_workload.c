/* What nodes of circuits read, store and compute, and what groups of them move: figures worked out by hand. */
#include "circuits.h"

#include "ir/flops.h"
#include "plan/price.h"
#include "plan/roofline.h"
#include "plan/workload_parts.h"
#include "support/random.h"

typedef struct fixture {
    met_session *session;
    const met_circuit *circuit;
    const met_workload *workload;
    met_device_level level;
    met_device device;
    met_pricing pricing;
} fixture;

static void begin(fixture *f, const char *program)
{
    *f = (fixture){ .session = met_session_new(), .level = { "dram", 0, 1e9 } };
    f->circuit = circuit_of(f->session, program, "");
    f->workload = met_workload_new(f->circuit);
    if (!f->workload)
        fail_msg("%s\n%s", program, met_session_diagnostics_text(f->session));
    f->device = (met_device){ .level_count = 1, .levels = &f->level, .peak = { [MET_PEAK_F32] = 1e9 }, .launch_s = 1 };
    f->pricing = (met_pricing){ .workload = f->workload, .device = &f->device };
}

static void end(fixture *f)
{
    met_session_free(f->session);
}

/* The node that makes an edge. */
static uint32_t maker_of(const fixture *f, const char *name)
{
    for (uint32_t e = 0; e < f->circuit->edge_count; e++)
        if (strcmp(met_sym_text(f->session, f->circuit->edges[e].name), name) == 0)
            return f->circuit->edges[e].producer.id;
    fail_msg("no edge %s", name);
    return 0;
}

static const met_node_work *work(const fixture *f, const char *name)
{
    return &f->workload->nodes[maker_of(f, name)];
}

/* Bytes of the group of nodes that make the named edges, in the order of nodes. */
static met_price price(const fixture *f, uint32_t count, const char *const *names)
{
    met_node_id nodes[8];
    for (uint32_t i = 0; i < count; i++)
        nodes[i].id = maker_of(f, names[i]);
    return met_price_group(&f->pricing, &(met_priced_group){ .count = count, .nodes = nodes });
}

#define PRICE(f, ...) price(f, sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *), (const char *[]){ __VA_ARGS__ })

static void expect_bytes(double got, double want)
{
    if (got != want)
        fail_msg("%.17g bytes instead of %.17g", got, want);
}

/* --- Nodes --- */

static void test_an_embedding_reads_its_rows(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "ids: i32[n=3]\n@table: bf16[v=1000 m=16]\nx = embed[v -> m](ids, @table)");
    assert_true(work(&f, "x")->in_bytes[0] == 3 * 4 && work(&f, "x")->in_bytes[1] == 3 * 16 * 2);
    expect_bytes(PRICE(&f, "x").bytes, 3 * 4 + 2 * 3 * 16 * 2);
    end(&f);
}

/* More rows than the table has: the table. */
static void test_a_small_table_is_read_once(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "ids: i32[n=30]\n@table: bf16[v=4 m=16]\nx = embed[v -> m](ids, @table)");
    assert_true(work(&f, "x")->in_bytes[1] == 4 * 16 * 2);
    end(&f);
}

static void test_scales_count(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "x: fp8/g32[n=4 m=64]\n@w: fp8/block32x32[f=64 m=64]\ny = linear[m -> f](x, @w)");
    /* a group of 32 has one f32 scale; a block of 32 x 32 likewise */
    assert_true(work(&f, "y")->in_bytes[0] == 4 * 64 + 4 * 2 * 4);
    assert_true(work(&f, "y")->in_bytes[1] == 64 * 64 + 4 * 4);
    assert_true(work(&f, "y")->weight_bytes == 64 * 64 + 4 * 4 && work(&f, "y")->flops == 2 * 4 * 64 * 64);
    end(&f);
}

static const char *const attention = "q: f32[n=8 d=4]\nk: f32[x=8 d=4]\nv: f32[x=8 d=4]\n"
                                     "s = 'n d, x d -> n x'(q, k)\nt = scale(s, 2)\nm = mask.causal[n x](t)\n"
                                     "p = softmax[x](m)\no = 'n x, x d -> n d'(p, v)";

/* Of 8 x 8 scores, 36 are under the diagonal: before the mask and behind it. Every key is read by some query. */
static void test_masked_positions_are_not_computed(void **state)
{
    (void)state;
    fixture f;
    begin(&f, attention);
    assert_true(work(&f, "s")->flops == 2 * 36 * 4 && work(&f, "t")->flops == 36 && work(&f, "o")->flops == 2 * 36 * 4);
    assert_true(work(&f, "s")->in_bytes[1] == 8 * 4 * 4);
    end(&f);
}

/* What is read elsewhere as well is computed whole. */
static void test_kept_scores_are_computed(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "q: f32[n=8 d=4]\nk: f32[x=8 d=4]\ns = 'n d, x d -> n x'(q, k)\nm = mask.causal[n x](s)\ny = add(m, s)\nz = exp(s)");
    assert_true(work(&f, "s")->flops == 2 * 64 * 4);
    end(&f);
}

/* One query after 63 cached positions, which sees the last 16 keys. */
static void test_a_window_bounds_what_is_read(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "q: f32[n=1 d=4]\nstate cache: f32[c=63 d=4]\na = kv_append[x d; x](cache, q)\n"
              "s = 'n d, x d -> n x'(q, a)\nm = mask.window[n x](s, width=16)\np = softmax[x](m)\no = 'n x, x d -> n d'(p, a)");
    assert_true(work(&f, "s")->flops == 2 * 16 * 4);
    expect_bytes(work(&f, "s")->in_bytes[1], 16 * 4 * 4);
    expect_bytes(work(&f, "o")->in_bytes[1], 16 * 4 * 4);
    end(&f);
}

/* Two rows choose 2 of 8 experts each: 8*(1 - (6/8)^2) = 3.5 are expected, of 16 x 4 values. The ids are read as well. */
static void test_experts_are_read_as_far_as_they_are_chosen(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "x: f32[n=2 k=2 m=4]\nids: i32[n k]\n@w: bf16[e=8 f=16 m]\ny = expert['n k m, n k, e f m -> n k f'](x, ids, @w)");
    expect_bytes(work(&f, "y")->in_bytes[2], 3.5 * 16 * 4 * 2);
    assert_true(work(&f, "y")->flops == 2 * 4 * 16 * 4 && work(&f, "y")->reads_weights);
    expect_bytes(PRICE(&f, "y").bytes, 3.5 * 16 * 4 * 2 + 4 * 4 * 4 + 4 * 4 + 4 * 16 * 4);
    end(&f);
}

/* --- Groups --- */

static void test_a_cache_is_appended_to_in_place(void **state)
{
    (void)state;
    fixture f;
    double token = 4 * 4, cached = 63 * token, square = 64 * 4; /* q is one token; scores of one query */
    begin(&f, "q: f32[n=1 d=4]\nstate cache: f32[c=63 d=4]\na = kv_append[x d; x](cache, q)\ns = 'n d, x d -> n x'(q, a)");
    expect_bytes(PRICE(&f, "a").bytes, 2 * token);
    expect_bytes(PRICE(&f, "s").bytes, token + cached + token + square);
    expect_bytes(PRICE(&f, "a", "s").bytes, token + cached + token + square); /* what is new never leaves, but is stored */
    end(&f);
}

/* A state is read and its new value written; steps and decays once each. */
static void test_a_recurrence_moves_its_state_twice(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "x: f32[n=4 d=8]\ndecay: f32[n d]\nstate h: f32[d]\ny, last = gated_decay['d, n d, n d -> n d, d'](h, decay, x)");
    expect_bytes(PRICE(&f, "y").bytes, 2 * 8 * 4 + 3 * 4 * 8 * 4);
    met_roofline_node row = met_roofline_new(&f.pricing, 0, NULL)->nodes[0];
    expect_bytes(row.bytes, 2 * 8 * 4 + 3 * 4 * 8 * 4);
    assert_true(row.flops == 4 * 4 * 8);
    assert_string_equal(row.site, "gated_decay");
    end(&f);
}

static void test_cuts_move_nothing(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "x: f32[n=2 m=8]\ny = exp(x)\na, b = split[m -> e=3, r=5](y)\nc = exp(a)\nd = exp(b)");
    met_price cut = PRICE(&f, "a");
    assert_true(cut.bytes == 0 && cut.launches == 0 && cut.seconds == 0);
    expect_bytes(PRICE(&f, "y").bytes, 2 * 64);
    expect_bytes(PRICE(&f, "c").bytes, 2 * 24);
    expect_bytes(PRICE(&f, "y", "a").bytes, 64 + 24 + 40);           /* what is cut is stored part by part … */
    expect_bytes(PRICE(&f, "a", "c").bytes, 2 * 24);                 /* … a part that is read inside comes from outside … */
    expect_bytes(PRICE(&f, "y", "a", "c").bytes, 64 + 24 + 40);      /* … unless it is made here; c takes the place of a */
    expect_bytes(PRICE(&f, "y", "a", "c", "d").bytes, 64 + 24 + 40);
    end(&f);
}

static void test_an_edge_counts_once(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "x: f32[n=2 m=8]\na = add(x, x)\nb = exp(x)\nc = mul(a, b)");
    expect_bytes(PRICE(&f, "a").bytes, 2 * 64);
    expect_bytes(PRICE(&f, "a", "b").bytes, 3 * 64);
    expect_bytes(PRICE(&f, "a", "b", "c").bytes, 2 * 64);
    end(&f);
}

/* Lengths that a mask looks into are read by whoever reads what is masked. */
static void test_guards_read_their_arrays(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "s: f32[b=2 x=8]\nl: i32[b=2]\nm = mask.padding[x](s, l)\np = softmax[x](m)");
    expect_bytes(PRICE(&f, "p").bytes, 64 + 8 + 64);
    expect_bytes(PRICE(&f, "m", "p").bytes, 64 + 8 + 64);
    end(&f);
}

/* --- Flops of many nodes --- */

/* Nodes that are alike are counted once: against counting every node. */
static void test_alike_nodes_have_alike_flops(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        met_session *session = met_session_new();
        char program[4096];
        random_equations(seed, 12, program, sizeof program);
        const met_circuit *circuit = circuit_of(session, program, "");
        const char *sizes = random_sizes_of(circuit);
        if (*sizes)
            circuit = met_circuit_bind(circuit, sizes);
        const met_dim *const *want = met_circuit_node_flops(circuit), *const *got = met_workload_flops(circuit);
        for (uint32_t n = 0; n < circuit->node_count; n++)
            if (!met_dim_equal(got[n], want[n]))
                fail_msg("seed %llu, node %u (%s) of\n%s", (unsigned long long)seed, n, circuit->nodes[n].op->name, program);
        met_session_free(session);
    }
}

/* --- Refusals --- */

static void expect_refusal(const char *program, met_code code)
{
    met_session *session = met_session_new();
    assert_null(met_workload_new(circuit_of(session, program, "")));
    assert_int_equal(session->diags.count, 1);
    assert_int_equal(session->diags.at[0]->code, code);
    met_session_free(session);
}

static void test_what_cannot_be_counted(void **state)
{
    (void)state;
    expect_refusal("x: f32[n m=8]\ny = exp(x)", MET_DIAG_unbound);
    expect_refusal("x: f32[n=4294967296 m=4294967296]\ny = exp(x)", MET_DIAG_cost);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_embedding_reads_its_rows),
        cmocka_unit_test(test_a_small_table_is_read_once),
        cmocka_unit_test(test_scales_count),
        cmocka_unit_test(test_masked_positions_are_not_computed),
        cmocka_unit_test(test_kept_scores_are_computed),
        cmocka_unit_test(test_a_window_bounds_what_is_read),
        cmocka_unit_test(test_experts_are_read_as_far_as_they_are_chosen),
        cmocka_unit_test(test_a_cache_is_appended_to_in_place),
        cmocka_unit_test(test_a_recurrence_moves_its_state_twice),
        cmocka_unit_test(test_cuts_move_nothing),
        cmocka_unit_test(test_an_edge_counts_once),
        cmocka_unit_test(test_guards_read_their_arrays),
        cmocka_unit_test(test_alike_nodes_have_alike_flops),
        cmocka_unit_test(test_what_cannot_be_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
