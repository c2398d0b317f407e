/* Claims under attack: a kernel's text is broken in one place, and it is said who notices: revealing (it is no tree, or not the
 * one that is declared), comparing (the revealed record differs from the declared one by an input on which both were run), or
 * the microtest (the bytes are not the interpreter's on ordinary numbers). Each break is noticed by one of them at least; an edit
 * that changes no bit is noticed by none. */
#include "kernel_folds.h"

#include "eval/settled.h"

#include "on_compiler.h"

enum { REVEAL = 1, COMPARE = 2, MICROTEST = 4 };

/* Places in fold_circuits. */
enum { OF_GEMM = 2, OF_SUM = 8, OF_L2NORM = 12, OF_STREAM = 17, OF_DELTA = 22 };

static const struct {
    const char *what;
    int of, row;
    const char *tiles;
    const char *from, *to;
    unsigned caught;
} breaks[] = {
    { "nothing: a sum in double of two floats, rounded", OF_SUM, 0, NULL, "(lane a, lane b), a.at[l] + b.at[l])",
      "(lane a, lane b), (float)((double)a.at[l] + (double)b.at[l]))", 0 },
    /* Ordinary numbers in three rows do not show it. */
    { "order: lanes are added to their neighbours", OF_SUM, 0, NULL, "a.at[l] = a.at[l] + a.at[l + half];",
      "a.at[l] = a.at[2 * l] + a.at[2 * l + 1];", REVEAL | COMPARE },
    { "order: the tail goes to one lane", OF_SUM, 0, NULL, "sum0 = lane_select(on, lane_add(sum0, v0), sum0);",
      "for (int64_t l = 0; l < left; l++) sum0.at[0] += lane_select(on, v0, v0).at[l];", REVEAL | COMPARE | MICROTEST },
    { "tail: the last term is left out", OF_SUM, 0, NULL, "lane_range(0, left);", "lane_range(0, left - 1);", REVEAL | MICROTEST },
    { "tail: the last term is taken twice", OF_SUM, 0, NULL, "sum0 = lane_select(on, lane_add(sum0, v0), sum0);",
      "sum0 = lane_select(on, lane_add(sum0, v0), sum0); sum0.at[15] += v0.at[left - 1];", REVEAL | MICROTEST },
    { "start: at -0", OF_SUM, 0, NULL, "lane_store(z0 + i, lane_set(0.0f));", "lane_store(z0 + i, lane_set(-0.0f));",
      REVEAL | COMPARE },
    { "store: sums are cut to 8 bits", OF_SUM, 0, NULL, "(lane a, lane b), a.at[l] + b.at[l])",
      "(lane a, lane b), 65537 * (a.at[l] + b.at[l]) - (65537 * (a.at[l] + b.at[l]) - (a.at[l] + b.at[l])))",
      REVEAL | MICROTEST },
    { "contraction: a product is rounded before it is added", OF_GEMM, 1, NULL, "fmaf(a.at[l], b.at[l], c.at[l])",
      "a.at[l] * b.at[l] + c.at[l]", REVEAL | COMPARE | MICROTEST },
    { "precision: products and sums in double, then rounded to float", OF_GEMM, 1, NULL, "fmaf(a.at[l], b.at[l], c.at[l])",
      "(float)((double)a.at[l] * (double)b.at[l] + (double)c.at[l])", REVEAL | COMPARE },
    { "order: from the last term to the first", OF_GEMM, 1, NULL,
      "for (int64_t k = 0; k < depth; k++, b += b_step) {", "b += (depth - 1) * b_step;\n    for (int64_t k = depth; k-- > 0; b -= b_step) {",
      REVEAL | COMPARE | MICROTEST },
    { "start: each slice begins anew", OF_GEMM, 1, "d=9", "sum[r][v] = fresh ? lane_set(0) : lane_load(c + r * c_row + v * LANES);",
      "sum[r][v] = lane_set(0);", REVEAL | MICROTEST },
    { "rescale: twice what it should be", OF_STREAM, 2, "x=16", "const float move7 = (was - now);",
      "const float move7 = (was - now) + 1.0f;", MICROTEST },
    { "rescale: not at all", OF_STREAM, 1, "x=16", "const float move6 = (was - now);", "const float move6 = 0.0f * (was - now);",
      REVEAL | MICROTEST },
    { "rescale: by a rounded factor", OF_STREAM, 2, "x=16",
      "lane_store(t2 + r * w_e + c, lane_scale(lane_load(t2 + r * w_e + c), lane_set(move7)));",
      "lane_store(t2 + r * w_e + c, lane_mul(lane_load(t2 + r * w_e + c), lane_set(expf(0.6931472f * move7) * 1.0000001f)));", MICROTEST },
    { "contraction: what is recalled of a state is rounded before it is added", OF_DELTA, 1, NULL, "recalled = fmaf(a2, a0, recalled);",
      "recalled = a2 * a0 + recalled;", MICROTEST },
    { "order: a state is read from its end", OF_DELTA, 0, NULL, "value = 0.0f;\n            for (int64_t i_k = 0; i_k < n_k; i_k++)",
      "value = 0.0f;\n            for (int64_t i_k = n_k; i_k-- > 0;)", REVEAL | COMPARE | MICROTEST },
    { "tail: the last element of a state is not recalled", OF_DELTA, 1, NULL,
      "recalled = 0.0f;\n            for (int64_t i_k = 0; i_k < n_k; i_k++)",
      "recalled = 0.0f;\n            for (int64_t i_k = 0; i_k < n_k - 2; i_k++)", REVEAL | MICROTEST },
};

/* Whether the program gives the interpreter's bytes. */
static bool gives_reference(const met_program *program, met_execution *execution)
{
    const met_circuit *circuit = program->plan->circuit;
    const met_tensor *const *edges;
    met_eval_options options = { .fill = "normal", .seed = 3 };
    if (!met_eval_settled(circuit, &program->plan->point, NULL, &options, 0, NULL, &edges))
        fail_msg("%s", met_session_diagnostics_text(session));
    for (uint32_t i = 0; i < circuit->input_count; i++) {
        const met_tensor *in = edges[circuit->inputs[i].id];
        met_execution_set(execution, circuit->inputs[i], in->count, in->values);
    }
    assert_true(met_execution_run(execution));
    const met_tensor *expected = edges[circuit->outputs[0].id], *got = met_execution_tensor(execution, circuit->outputs[0]);
    return memcmp(expected->values, got->values, expected->count * sizeof(double)) == 0;
}

static unsigned who_notices(const met_program *program, const fold_row *row)
{
    met_execution *execution = met_execution_new(session, program, compiler, NULL);
    if (!execution)
        fail_msg("%s", met_session_diagnostics_text(session));
    unsigned caught = gives_reference(program, execution) ? 0 : MICROTEST;
    const met_tree *declared = declared_record(program, (uint32_t)node_of(row->node, program->plan->circuit));
    met_black_box probe = kernel_probe(session->arena, execution, program, &row->fold);
    met_revealed got = met_reveal(session->arena, &probe, MET_REVEAL_AUTO, 5);
    caught |= record_agrees(session->arena, &got, declared, &probe) ? 0 : REVEAL;
    if (got.verdict == MET_REVEAL_TREE) {
        met_comparison c = compare_records(session->arena, &got, declared, &probe);
        caught |= c.verdict == MET_VERDICT_DIFFERENT && c.has_run ? COMPARE : 0;
    }
    met_execution_free(execution);
    return caught;
}

static void breaks_are_noticed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof breaks / sizeof *breaks; i++) {
        fold_circuit c = fold_circuits[breaks[i].of];
        c.tiles = breaks[i].tiles;
        const met_program *program = fold_program(session, &c, "cpu-scalar", MET_PLANNER_FUSED);
        program = broken_program(session, program, breaks[i].from, breaks[i].to, breaks[i].what);
        unsigned caught = who_notices(program, &c.rows[breaks[i].row]);
        if (caught != breaks[i].caught)
            fail_msg("%s: noticed by%s%s%s", breaks[i].what, caught & REVEAL ? " reveal" : "", caught & COMPARE ? " compare" : "",
                     caught & MICROTEST ? " microtest" : "");
        assert_true(caught || strncmp(breaks[i].what, "nothing", 7) == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(breaks_are_noticed) };
    return cmocka_run_group_tests_name("claims", tests, setup, teardown);
}
