/* From the circuit as it was written to the settled one: what every node is work of, regions as kernels, records of
 * groups, and plans made of lowerings. */
#include "models.h"

#include "base/map.h"
#include "derive/derivation.h"
#include "plan/estimate.h"
#include "plan/of_lowering.h"
#include "realize/program.h"

static const char llama_tiny[] = "{\"model_type\": \"llama\", \"hidden_size\": 16, \"intermediate_size\": 24, \"num_attention_heads\": 4,"
                                 "\"num_key_value_heads\": 2, \"num_hidden_layers\": 3, \"vocab_size\": 40, \"rope_theta\": 10000}";
static const char attention[] = "'q d, x d -> q x' @ softmax[x] @ 'q x, x d -> q d'";

static met_session *session;
static met_point point;

static int setup(void **state)
{
    (void)state;
    session = met_session_new();
    point = met_point_of(MET_F32);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    met_session_free(session);
    return 0;
}

static const met_circuit *program_of(const char *program, const char *set)
{
    uint32_t source = met_session_add_source(session, "test", program, strlen(program));
    const met_circuit *circuit = met_circuit_read(session, source, NULL);
    circuit = circuit && *set ? met_circuit_bind(circuit, set) : circuit;
    if (!circuit)
        fail_msg("%s\n%s", program, met_session_diagnostics_text(session));
    return circuit;
}

static const met_settled *settled_of(const met_circuit *circuit)
{
    const met_settled *settled = met_settled_new(circuit, &point);
    if (!settled)
        fail_msg("%s", met_session_diagnostics_text(session));
    return settled;
}

static met_plan_options class_options(const char *name)
{
    const met_class *class = met_class_find(name);
    return (met_plan_options){ .capacity_bytes = class->l2_bytes, .accepts = met_realize_accepts, .context = (void *)(uintptr_t)class };
}

static met_node_id *interval(uint32_t begin, uint32_t end)
{
    met_node_id *nodes = met_arena_alloc(session->arena, end - begin, sizeof *nodes);
    for (uint32_t n = begin; n < end; n++)
        nodes[n - begin].id = n;
    return nodes;
}

/* --- Origins --- */

/* The ops that the nodes of the settled circuit come from. */
static const char *origin_text(const met_settled *settled)
{
    met_text text = met_text_new(session->arena);
    for (uint32_t n = 0; n < settled->circuit->node_count; n++)
        met_text_format(&text, "%s%s<%u", n ? " " : "", settled->circuit->nodes[n].op->name, (unsigned)settled->origin[n]);
    return met_text_done(&text);
}

static void origins(void **state)
{
    (void)state;
    const met_circuit *circuit = program_of(attention, "q=4,x=8,d=2");
    /* the softmax's division has moved behind the second contraction, and is work of that */
    assert_string_equal(origin_text(settled_of(circuit)), "einsum<0 map<1 map<1 max<1 map<1 map<1 sum<1 einsum<2 map<2");
    point.division = MET_DIVISION_EAGER;
    assert_string_equal(origin_text(settled_of(circuit)), "einsum<0 map<1 map<1 max<1 map<1 map<1 sum<1 map<1 einsum<2");
    point.division = MET_DIVISION_DEFERRED; /* and one that leaves nothing behind */
    circuit = program_of("x: q k, d: q, v: k n\n'q k, k n -> q n'(div['q k, q -> q k'](x, d), v)", "q=4,k=8,n=2");
    assert_string_equal(origin_text(settled_of(circuit)), "einsum<1 map<1");
}

static void expect_trace(const met_settled *settled)
{
    uint32_t next = 0;
    for (uint32_t w = 0; w < settled->written->node_count; w++) {
        for (uint32_t k = settled->begin[w]; k < settled->begin[w + 1]; k++) {
            assert_int_equal(settled->nodes[k].id, next++);
            assert_int_equal(settled->origin[settled->nodes[k].id], w);
        }
        /* what the written node makes is made by one of its own, or was the input of a division that left nothing behind */
        const met_node *node = &settled->written->nodes[w];
        for (uint32_t k = 0; k < node->out_count; k++) {
            met_str name = met_sym_str(session, settled->written->edges[node->outs[k].id].name);
            bool found = settled->begin[w] == settled->begin[w + 1];
            for (uint32_t e = 0; e < settled->circuit->edge_count && !found; e++) {
                const met_edge *edge = &settled->circuit->edges[e];
                found = edge->producer.id != MET_NONE && met_str_equal(met_sym_str(session, edge->name), name) &&
                        settled->origin[edge->producer.id] == w;
            }
            if (!found && node->op->id != MET_OP_softmax) /* whose last node went away */
                fail_msg("nobody makes %.*s", MET_STR_ARGS(name));
        }
    }
    assert_int_equal(next, settled->circuit->node_count);
    assert_int_equal(settled->begin[settled->written->node_count], next);
}

static void traces_of_models(void **state)
{
    (void)state;
    expect_trace(settled_of(model_of(session, "llama", llama_tiny, NULL, "n=6")));
    expect_trace(settled_of(model_of(session, "llama", llama_tiny, "decode", "c=5")));
    point = met_point_of(MET_F64);
    expect_trace(settled_of(model_of(session, "llama", llama_tiny, "decode", "c=5")));
}

/* --- Regions --- */

/* Without memory, from the definition: what one kernel of the class is. */
static bool is_kernel(const met_settled *settled, const met_derivation *facts, const met_plan_options *options, uint32_t count,
                      const met_node_id *written)
{
    met_node_id nodes[256];
    met_refusal refusal;
    uint32_t total = met_settled_nodes(settled, count, written, nodes);
    const met_kernel *kernel = met_derivation_kernel(facts, session->arena, total, nodes, NULL, &refusal);
    return kernel && (total == 1 || (options->accepts(options->context, kernel) &&
                                     met_estimate_kernel(facts, session->arena, kernel, options->capacity_bytes).fits));
}

static void the_judge_remembers_shapes(void **state)
{
    (void)state;
    const met_circuit *circuit = model_of(session, "llama", llama_tiny, NULL, "n=6");
    const met_settled *settled = settled_of(circuit);
    met_plan_options options = class_options("cpu-avx2");
    met_region_judge *judge = met_region_judge_new(settled, &options);
    const met_derivation *facts = met_derivation_new(settled->circuit);
    uint32_t kernels = 0, others = 0;
    for (uint32_t begin = 0; begin < circuit->node_count; begin++) {
        for (uint32_t end = begin + 1; end <= circuit->node_count && end - begin <= 5; end++) {
            const met_node_id *nodes = interval(begin, end);
            bool wanted = is_kernel(settled, facts, &options, end - begin, nodes);
            if (met_region_is_kernel(judge, end - begin, nodes) != wanted)
                fail_msg("nodes %u to %u are %s kernel", begin, end - 1, wanted ? "a" : "no");
            kernels += wanted;
            others += !wanted;
        }
    }
    assert_true(kernels > circuit->node_count && others > 0);
    /* the same shape with a way out and back: q and o without what lies between */
    const met_circuit *loop = program_of("x: a b\nu = exp(x)\nv = silu(u)\nw = add(u, v)\n-> w", "a=3,b=4");
    judge = met_region_judge_new(settled_of(loop), &options);
    assert_true(met_region_is_kernel(judge, 3, interval(0, 3)));
    assert_false(met_region_is_kernel(judge, 2, (met_node_id[]){ { 0 }, { 2 } }));
}

/* --- Records --- */

static const char *record(met_region_judge *judge, uint32_t begin, uint32_t end)
{
    const char *text = met_settled_record(judge, end - begin, interval(begin, end));
    assert_non_null(text);
    return text;
}

static met_region_judge *judge_of(const met_circuit *circuit)
{
    met_plan_options options = class_options("cpu-avx2");
    return met_region_judge_new(settled_of(circuit), &options);
}

static const char attention_record[] = "point f32, pow2\n"
                                       "%0 = fold add over 1, a*b of x0:f32, x1:f32 -> f32; sequential; fma\n"
                                       "%1 = map a*1.4426950408889634 of %0:f32 -> f32\n"
                                       "%2 = map rint(a) of %1:f32 -> f32\n"
                                       "%3 = map exp2p(select(a == b, 0, a - b)) of %1:f32, %2:f32 -> f32\n"
                                       "%4 = fold max over 1, a of %2:f32 -> f32; exact\n"
                                       "%5 = map ldexp(a, b - c) of %3:f32, %2:f32, %4:f32 -> f32\n"
                                       "%6 = fold add over 1, a*b of %5:f32, x2:f32 -> f32; sequential; fma\n"
                                       "%7 = fold add over 1, a of %5:f32 -> f32; lanes16\n"
                                       "%8 = map a/b of %6:f32, %7:f32 -> f32; behind\n"
                                       "rescale %6 by pow2\n"
                                       "rescale %7 by pow2\n"
                                       "functions: exp2p polynomial\n";

static void record_of_attention(void **state)
{
    (void)state;
    const met_circuit *circuit = program_of(attention, "q=4,x=8,d=2");
    assert_string_equal(record(judge_of(circuit), 0, 3), attention_record);
    /* other sizes, other names, one more axis */
    circuit = program_of("'h i e, h j e -> h i j' @ softmax[j] @ 'h i j, h j e -> h i e'", "h=2,i=5,j=7,e=3");
    assert_string_equal(record(judge_of(circuit), 0, 3), attention_record);
}

/* Every part of the numerics shows. */
static void records_tell_numerics_apart(void **state)
{
    (void)state;
    const met_circuit *circuit = program_of(attention, "q=4,x=8,d=2");
    point.division = MET_DIVISION_EAGER;
    assert_null(strstr(record(judge_of(circuit), 0, 3), "behind"));
    point = met_point_of(MET_F32);
    point.numerics = MET_NUMERICS_FLOAT;
    const char *text = record(judge_of(circuit), 0, 3);
    assert_non_null(strstr(text, "by float\n"));
    assert_non_null(strstr(text, "functions: exp library\n"));
    point = met_point_of(MET_BF16);
    point.dot = MET_DOT_PAIRS;
    text = record(judge_of(circuit), 0, 3);
    assert_non_null(strstr(text, "of x0:bf16, x1:bf16 -> bf16; sequential, pairs; fma\n"));
    point = met_point_of(MET_F32);
    point.contraction = met_tree_lanes(MET_F32, 16);
    assert_non_null(strstr(record(judge_of(circuit), 0, 3), "-> f32; lanes16; fma\n"));
    point.contraction.contraction = MET_CONTRACT_MUL_ADD;
    assert_non_null(strstr(record(judge_of(circuit), 0, 3), "-> f32; lanes16, mul_add; mul, add\n"));
    point = met_point_of(MET_F64);
    assert_memory_equal(record(judge_of(circuit), 0, 3), "point f64, real\n", 16);
    point = met_point_of(MET_F32);
    circuit = program_of("'q d, x d -> q x' @ mask.causal[q x] @ softmax[x] @ 'q x, x d -> q d'", "q=4,x=8,d=2");
    assert_non_null(strstr(record(judge_of(circuit), 0, 4), "exact; live\n"));
}

static void records_do_not_know_ids(void **state)
{
    (void)state;
    const met_circuit *circuit = model_of(session, "llama", llama_tiny, NULL, "n=6");
    met_region_judge *judge = judge_of(circuit);
    uint32_t first = MET_NONE, layer = 0;
    for (uint32_t n = 0; n < circuit->node_count; n++) {
        met_block_id block = circuit->nodes[n].block;
        while (block.id != MET_NONE && circuit->blocks[block.id].repeat_count != 3)
            block = circuit->blocks[block.id].parent;
        if (block.id == MET_NONE || circuit->blocks[block.id].repeat != 0)
            continue;
        first = circuit->blocks[block.id].node_begin;
        layer = circuit->blocks[block.id].node_end - first;
        break;
    }
    assert_true(layer > 10);
    for (uint32_t begin = first; begin < first + layer; begin++)
        for (uint32_t end = begin + 1; end <= first + layer && end <= begin + 6; end++)
            for (uint32_t repeat = 1; repeat < 3; repeat++)
                assert_string_equal(record(judge, begin, end), record(judge, begin + repeat * layer, end + repeat * layer));
    /* nor the order in which things that do not wait for each other are written */
    circuit = program_of("x: a b\nu = exp(x)\nv = silu(x)\nw = sub(u, v)\n-> w", "a=3,b=4");
    const char *one = record(judge_of(circuit), 0, 3);
    circuit = program_of("x: a b\nv = silu(x)\nu = exp(x)\nw = sub(u, v)\n-> w", "a=3,b=4");
    assert_string_equal(record(judge_of(circuit), 0, 3), one);
    circuit = program_of("x: a b\nv = silu(x)\nu = exp(x)\nw = sub(v, u)\n-> w", "a=3,b=4");
    assert_string_not_equal(record(judge_of(circuit), 0, 3), one);
}

/* --- Plans --- */

/* The nodes cut into intervals: every `step` of them, one more each time. */
static const met_lowering *lowering_of(const met_circuit *circuit, uint32_t step)
{
    met_lowering *lowering = met_arena_alloc(session->arena, 1, sizeof *lowering);
    met_lowering_group *groups = met_arena_alloc(session->arena, circuit->node_count, sizeof *groups);
    *lowering = (met_lowering){ .circuit = circuit, .groups = groups };
    for (uint32_t begin = 0, end; begin < circuit->node_count; begin = end) {
        end = begin + 1 + lowering->group_count % step;
        end = end < circuit->node_count ? end : circuit->node_count;
        groups[lowering->group_count++] = (met_lowering_group){ .node_count = end - begin, .nodes = interval(begin, end),
                                                                .source = MET_GROUP_DERIVED };
    }
    return lowering;
}

/* Kernels of the plan do the work of one group each, one kernel a group where that can be. */
static void expect_plan(const met_lowering *lowering, const met_settled *settled, const met_plan_options *options)
{
    const met_plan *plan = met_plan_of_lowering(lowering, settled, options);
    if (!plan)
        fail_msg("%s", met_session_diagnostics_text(session));
    const char *fault = met_plan_check(plan);
    if (fault)
        fail_msg("%s", fault);
    const met_derivation *facts = met_derivation_new(settled->circuit);
    uint32_t next = 0;
    for (uint32_t g = 0; g < lowering->group_count; g++) {
        const met_lowering_group *group = &lowering->groups[g];
        uint32_t nodes = 0, wanted = met_settled_nodes(settled, group->node_count, group->nodes, NULL), first = next;
        while (nodes < wanted) {
            const met_kernel *kernel = plan->groups[next++];
            for (uint32_t s = 0; s < kernel->step_count; s++, nodes++)
                assert_int_equal(settled->origin[kernel->steps[s].node.id] - group->nodes[0].id < group->node_count, true);
        }
        assert_int_equal(nodes, wanted);
        if (is_kernel(settled, facts, options, group->node_count, group->nodes))
            assert_int_equal(next - first, 1);
    }
    assert_int_equal(next, plan->group_count);
}

static void plans_of_lowerings(void **state)
{
    (void)state;
    met_plan_options options = class_options("cpu-avx2");
    const met_circuit *circuit = model_of(session, "llama", llama_tiny, "decode", "c=5");
    const met_settled *settled = settled_of(circuit);
    for (uint32_t step = 1; step < 6; step++)
        expect_plan(lowering_of(circuit, step), settled, &options);
}

static void rules_keep_their_promises(void **state)
{
    (void)state;
    met_plan_options options = class_options("cpu-avx2");
    const met_circuit *circuit = program_of("x: a b\nu = exp(x)\nv, i = top_k[b -> k](u)\n-> v, i", "a=3,b=4,k=2");
    const met_rule rule = { .id = "exp_top_k" };
    const char *const names[] = { "k1", "k2" };
    met_lowering_group group = { .node_count = 2, .nodes = interval(0, 2), .source = MET_GROUP_RULE, .rule = &rule,
                                 .kernels = { 1, names } };
    met_lowering lowering = { .circuit = circuit, .group_count = 1, .groups = &group };
    assert_null(met_plan_of_lowering(&lowering, settled_of(circuit), &options));
    expect_diag(session, MET_DIAG_run, "the rule `exp_top_k` says that this is one kernel");
    met_session_clear_diagnostics(session);
    group.kernels.count = 2;
    const met_plan *plan = met_plan_of_lowering(&lowering, settled_of(circuit), &options);
    assert_non_null(plan);
    assert_int_equal(plan->group_count, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(origins, setup, teardown),
        cmocka_unit_test_setup_teardown(traces_of_models, setup, teardown),
        cmocka_unit_test_setup_teardown(the_judge_remembers_shapes, setup, teardown),
        cmocka_unit_test_setup_teardown(record_of_attention, setup, teardown),
        cmocka_unit_test_setup_teardown(records_tell_numerics_apart, setup, teardown),
        cmocka_unit_test_setup_teardown(records_do_not_know_ids, setup, teardown),
        cmocka_unit_test_setup_teardown(plans_of_lowerings, setup, teardown),
        cmocka_unit_test_setup_teardown(rules_keep_their_promises, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
