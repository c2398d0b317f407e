/* Plans of whole ops: where patterns fit, what guards and formats decide, what is in the text. */
#include "ir/structure.h"
#include "lowerings.h"

/* --- Patterns --- */

static void priority_comes_before_id_and_order(void **state)
{
    (void)state;
    bench b = bench_of(chain, "n=4,m=4");
    put_singles(&b);
    put_rule(&b.rules, "pair_b", 100, "{ op = \"neg\" }, { op = \"exp\" }", "");
    put_rule(&b.rules, "pair_a", 100, "{ op = \"exp\" }, { op = \"abs\" }", "");
    expect_plan(&b, MET_LOWER_GREEDY, "one:0 pair_a:1,2 one:3");
    expect_plan(&b, MET_LOWER_NONE, "one:0 one:1 one:2 one:3");
    met_session_free(b.session);
}

static void the_exact_plan_is_cheaper_where_greed_blocks_it(void **state)
{
    (void)state;
    bench b = bench_of(chain, "n=4,m=4");
    put_singles(&b);
    put_rule(&b.rules, "middle", 100, "{ op = \"exp\" }, { op = \"abs\" }", "");
    put_rule(&b.rules, "front", 50, "{ op = \"neg\" }, { op = \"exp\" }", "");
    put_rule(&b.rules, "back", 50, "{ op = \"abs\" }, { op = \"sqrt\" }", "");
    expect_plan(&b, MET_LOWER_GREEDY, "one:0 middle:1,2 one:3");
    expect_plan(&b, MET_LOWER_EXACT, "front:0,1 back:2,3");
    assert_true(lower(&b, MET_LOWER_EXACT)->proven);
    met_session_free(b.session);
}

static void what_is_read_outside_must_be_kept(void **state)
{
    (void)state;
    static const char program[] = "x: n m\ny: n m\nh = add(x, y)\nu = rmsnorm[m](h, @g)\nz = add(h, u)\n-> z\n";
    for (int keeps = 0; keeps < 2; keeps++) {
        bench b = bench_of(program, "n=4,m=4");
        put_singles(&b);
        put_rule(&b.rules, "add_norm", 100, keeps ? "{ op = \"add\", keep = true }, { op = \"rmsnorm\" }" : "{ op = \"add\" }, { op = \"rmsnorm\" }", "");
        expect_plan(&b, MET_LOWER_GREEDY, keeps ? "add_norm:0,1 one:2" : "one:0 one:1 one:2");
        met_session_free(b.session);
    }
}

static void a_way_outside_is_refused(void **state)
{
    (void)state;
    static const char program[] = "x: n m\na = neg(x)\nb = exp(a)\nc = mul(a, b)\n-> c\n";
    bench b = bench_of(program, "n=4,m=4");
    put_singles(&b);
    put_rule(&b.rules, "around", 100, "{ op = \"neg\", keep = true }, { op = \"mul\" }", "");
    expect_plan(&b, MET_LOWER_GREEDY, "one:0 one:1 one:2");
    expect_plan(&b, MET_LOWER_EXACT, "one:0 one:1 one:2");
    met_session_free(b.session);
}

/* Each of two groups is convex by itself; together, each reads what the other makes. */
static void groups_that_would_wait_for_each_other_are_refused(void **state)
{
    (void)state;
    static const char program[] = "x: n m\ny: n m\na = neg(x)\nb = abs(y)\nc = add(a, b)\nd = mul(a, b)\nz = add(c, d)\n-> z\n";
    bench b = bench_of(program, "n=4,m=4");
    put_singles(&b);
    put_rule(&b.rules, "first", 100, "{ op = \"neg\", keep = true }, { op = \"mul\" }", "");
    put_rule(&b.rules, "second", 90, "{ op = \"abs\", keep = true }, { op = \"add\" }", "");
    expect_plan(&b, MET_LOWER_GREEDY, "one:1 first:0,3 one:2 one:4");
    assert_int_equal(lower(&b, MET_LOWER_EXACT)->group_count, 4);
    met_session_free(b.session);
}

static const char gated[] = "block(x: n m) -> y { g = linear[m -> f](x, @wg); u = linear[m -> f](x, @wu); a = silu(g); p = mul(a, u); y = p }\n"
                            "x: n m\ny = block(x)\n-> y\n";

static void roles_siblings_and_reads(void **state)
{
    (void)state;
    bench b = bench_of(gated, "n=4,m=4,f=4");
    put_singles(&b);
    put_rule(&b.rules, "gate_up", 100,
             "{ op = \"linear\", role = \"gate\" }, { op = \"linear\", role = \"up\", sibling = true }, { op = \"silu\", reads = 1 }, { op = \"mul\" }", "");
    expect_plan(&b, MET_LOWER_GREEDY, "gate_up:0,1,2,3");
    met_session_free(b.session);
    b = bench_of(gated, "n=4,m=4,f=4");
    put_singles(&b);
    put_rule(&b.rules, "wrong", 100, "{ op = \"linear\", role = \"up\" }, { op = \"silu\" }", "");
    put_rule(&b.rules, "elsewhere", 90, "{ op = \"linear\", block = \"other\" }", "");
    put_rule(&b.rules, "here", 80, "{ op = \"linear\", block = \"block\" }", "");
    expect_plan(&b, MET_LOWER_GREEDY, "here:0 here:1 one:2 one:3");
    met_session_free(b.session);
}

static void optional_elements_may_be_absent(void **state)
{
    (void)state;
    bench b = bench_of("x: n m\na = neg(x)\nb = exp(a)\nc = neg(b)\nd = abs(c)\n-> d\n", "n=4,m=4");
    put_singles(&b);
    put_rule(&b.rules, "maybe", 100, "{ op = \"neg\" }, { op = \"exp\", optional = true }, { op = [\"abs\", \"neg\"] }", "");
    expect_plan(&b, MET_LOWER_GREEDY, "maybe:0,1,2 one:3");
    expect_plan(&b, MET_LOWER_EXACT, "maybe:0,1,2 one:3");
    met_session_free(b.session);
}

/* --- Guards --- */

static void guards_decide_whether_a_rule_applies(void **state)
{
    (void)state;
    static const struct { const char *more, *wanted; } cases[] = {
        { "modes = [\"decode\"]", "one:0 one:1 one:2 one:3" },
        { "modes = [\"run\"]", "pair:0,1 one:2 one:3" },
        { "rows = [2, 4]", "one:0 one:1 one:2 one:3" },
        { "rows = [1, 4]", "pair:0,1 one:2 one:3" },
        { "when = { residual = \"f32\" }", "one:0 one:1 one:2 one:3" },
        { "when = { residual = \"bf16\" }", "pair:0,1 one:2 one:3" },
        { "numerics = \"differs\"\nlever = \"lever\"", "one:0 one:1 one:2 one:3" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bench b = bench_of(chain, "n=4,m=4");
        put_singles(&b);
        put_rule(&b.rules, "pair", 100, "{ op = \"neg\" }, { op = \"exp\" }", cases[i].more);
        expect_plan(&b, MET_LOWER_GREEDY, cases[i].wanted);
        met_session_free(b.session);
    }
    bench b = bench_of(chain, "n=4,m=4");
    met_setting on = { "lever", "on" };
    put_singles(&b);
    put_rule(&b.rules, "pair", 100, "{ op = \"neg\" }, { op = \"exp\" }", "numerics = \"differs\"\nlever = \"lever\"");
    b.options.settings = &on;
    b.options.setting_count = 1;
    expect_plan(&b, MET_LOWER_GREEDY, "pair:0,1 one:2 one:3");
    met_session_free(b.session);
}

static void what_nothing_covers_is_an_error_or_a_placeholder(void **state)
{
    (void)state;
    bench b = bench_of("x: n m\na = neg(x)\nb = softmax[m](a)\n-> b\n", "n=4,m=4");
    put_singles(&b);
    expect_plan(&b, MET_LOWER_GREEDY, "refused");
    assert_true(met_session_has_error(b.session, "uncovered"));
    met_session_clear_diagnostics(b.session);
    expect_plan(&b, MET_LOWER_EXACT, "refused");
    met_session_clear_diagnostics(b.session);
    b.options.partial = true;
    expect_plan(&b, MET_LOWER_GREEDY, "one:0 novel:1");
    expect_plan(&b, MET_LOWER_EXACT, "one:0 novel:1");
    expect_plan(&b, MET_LOWER_NONE, "one:0 novel:1");
    assert_string_equal(lower(&b, MET_LOWER_NONE)->groups[1].kernels.names[0], "novel.softmax");
    met_session_free(b.session);
}

/* --- Formats --- */

static void formats_must_agree(void **state)
{
    (void)state;
    static const char program[] = "x: n m\na = neg(x)\nb = exp(a)\n-> b\n";
    bench b = bench_of(program, "n=4,m=4");
    put_singles(&b);
    put_rule(&b.rules, "narrow", 100, "{ op = \"neg\", writes = \"fp8/tensor\" }", "");
    expect_plan(&b, MET_LOWER_GREEDY, "refused");
    assert_true(met_session_has_error(b.session, "format-conflict"));
    met_session_clear_diagnostics(b.session);
    /* the exact planner goes without the rule; a partial greedy plan drops it */
    expect_plan(&b, MET_LOWER_EXACT, "one:0 one:1");
    b.options.partial = true;
    expect_plan(&b, MET_LOWER_GREEDY, "one:0 one:1");
    met_session_free(b.session);
}

static void formats_written_and_held_are_stored(void **state)
{
    (void)state;
    bench b = bench_of(chain, "n=4,m=4");
    put_singles(&b);
    put_rule(&b.rules, "pair", 100, "{ op = \"neg\", holds = \"bf16\" }, { op = \"exp\", writes = \"f16\" }", "");
    const met_lowering *lowering = lower(&b, MET_LOWER_GREEDY);
    assert_string_equal(groups_of(&b, lowering), "pair:0,1 one:2 one:3");
    const met_node *nodes = b.circuit->nodes;
    assert_true(met_format_equal(lowering->stored[nodes[0].outs[0].id], met_format_of(MET_BF16)));
    assert_true(met_format_equal(lowering->stored[nodes[1].outs[0].id], met_format_of(MET_F16)));
    assert_int_equal(lowering->edges[nodes[0].outs[0].id], MET_EDGE_FUSED);
    assert_int_equal(lowering->edges[nodes[1].outs[0].id], MET_EDGE_MATERIALIZED);
    met_session_free(b.session);
}

static void stored_edges_are_materialized(void **state)
{
    (void)state;
    bench b = bench_of(chain, "n=4,m=4");
    put_singles(&b);
    put_rule(&b.rules, "pair", 100, "{ op = \"neg\", stored = true }, { op = \"exp\" }", "");
    const met_lowering *lowering = lower(&b, MET_LOWER_GREEDY);
    assert_string_equal(groups_of(&b, lowering), "pair:0,1 one:2 one:3");
    assert_int_equal(lowering->edges[b.circuit->nodes[0].outs[0].id], MET_EDGE_MATERIALIZED);
    met_session_free(b.session);
}

/* --- The text --- */

static void rules_that_are_not_used_are_not_in_the_text(void **state)
{
    (void)state;
    const char *digests[2];
    bench both[2];
    for (int i = 0; i < 2; i++) {
        both[i] = bench_of(chain, "n=4,m=4");
        put_singles(&both[i]);
        put_rule(&both[i].rules, i ? "unused_2" : "unused", i ? 5 : 7, "{ op = \"neg\" }, { op = \"mul\" }", i ? "rows = [1, 9]" : "");
        digests[i] = met_lowering_digest(lower(&both[i], MET_LOWER_GREEDY));
    }
    assert_string_equal(digests[0], digests[1]);
    bench other = bench_of(chain, "n=4,m=4");
    put_singles(&other);
    put_rule(&other.rules, "pair", 100, "{ op = \"neg\" }, { op = \"exp\" }", "");
    assert_string_not_equal(digests[0], met_lowering_digest(lower(&other, MET_LOWER_GREEDY)));
    for (int i = 0; i < 2; i++)
        met_session_free(both[i].session);
    met_session_free(other.session);
}

/* On a class that is not realized records know families alone: the structure tells programs apart. */
static void programs_that_differ_have_other_digests(void **state)
{
    (void)state;
    static const char *const programs[] = {
        "x: n m\na = neg(x)\nb = neg(a)\nc = add(b, a)\n-> c\n", "x: n m\na = exp(x)\nb = neg(a)\nc = add(b, a)\n-> c\n",
        "x: n m\na = neg(x)\nb = neg(x)\nc = add(b, a)\n-> c\n", "x: n m\na = neg(x)\nb = neg(a)\nc = add(a, b)\n-> c\n",
        "x: n m\na = rmsnorm[m](x, @g, eps=1)\nb = neg(a)\nc = add(b, a)\n-> c\n",
        "x: n m\na = rmsnorm[m](x, @g, eps=2)\nb = neg(a)\nc = add(b, a)\n-> c\n",
    };
    enum { COUNT = sizeof programs / sizeof *programs };
    const char *digests[COUNT];
    bench benches[COUNT];
    for (int i = 0; i < COUNT; i++) {
        benches[i] = bench_of(programs[i], "n=4,m=4");
        put_singles(&benches[i]);
        digests[i] = met_lowering_digest(lower(&benches[i], MET_LOWER_GREEDY));
        for (int j = 0; j < i; j++)
            assert_string_not_equal(digests[i], digests[j]);
    }
    for (int i = 0; i < COUNT; i++)
        met_session_free(benches[i].session);
}

static void names_are_not_in_the_structure(void **state)
{
    (void)state;
    bench a = bench_of("x: n m\na = relu(x)\n-> a\n", "n=4,m=4"), b = bench_of("in: r c\nout = relu(in)\n-> out\n", "r=4,c=4");
    bench wider = bench_of("x: n m\na = relu(x)\n-> a\n", "n=4,m=5");
    assert_string_equal(met_circuit_structure(a.circuit), met_circuit_structure(b.circuit));
    assert_string_not_equal(met_circuit_structure(a.circuit), met_circuit_structure(wider.circuit));
    met_session_free(a.session);
    met_session_free(b.session);
    met_session_free(wider.session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(priority_comes_before_id_and_order),
        cmocka_unit_test(the_exact_plan_is_cheaper_where_greed_blocks_it),
        cmocka_unit_test(what_is_read_outside_must_be_kept),
        cmocka_unit_test(a_way_outside_is_refused),
        cmocka_unit_test(groups_that_would_wait_for_each_other_are_refused),
        cmocka_unit_test(roles_siblings_and_reads),
        cmocka_unit_test(optional_elements_may_be_absent),
        cmocka_unit_test(guards_decide_whether_a_rule_applies),
        cmocka_unit_test(what_nothing_covers_is_an_error_or_a_placeholder),
        cmocka_unit_test(formats_must_agree),
        cmocka_unit_test(formats_written_and_held_are_stored),
        cmocka_unit_test(stored_edges_are_materialized),
        cmocka_unit_test(rules_that_are_not_used_are_not_in_the_text),
        cmocka_unit_test(programs_that_differ_have_other_digests),
        cmocka_unit_test(names_are_not_in_the_structure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
