/* Circuits as scalar regions: what the algebra of streams says of definitions written as circuits. */
#include "derive/region_of_circuit.h"
#include "derive/stream.h"
#include "kernels.h"

static const met_region *region_of(met_session *session, const char *program, met_refusal *ret_refusal)
{
    const met_circuit *circuit = primitives_of(session, program, "", MET_NUMERICS_REAL);
    met_node_id *nodes = met_arena_alloc(session->arena, circuit->node_count, sizeof *nodes);
    for (uint32_t n = 0; n < circuit->node_count; n++)
        nodes[n].id = n;
    return met_region_of_circuit(met_derivation_new(circuit), session->arena, circuit->node_count, nodes, ret_refusal);
}

typedef struct stream_case {
    const char *program, *stream;
    bool streams;
    uint32_t rank, folds;
} stream_case;

#define SCORES "'q h d, x h d -> h q x'"
#define MIX "'h q x, x h e -> q h e'"

/* Ranks and folds are those of docs/design and of the definitions: a normalizer and a contraction have one coefficient of
 * statistics; layer norms with gain and bias have two that depend on statistics and one that does not. */
static const stream_case cases[] = {
    { SCORES " @ scale(d^-0.5) @ mask.causal[q x] @ softmax[x] @ " MIX, "x", true, 1, 2 },
    { SCORES " @ l2norm[x] @ " MIX, "x", true, 1, 1 },
    { SCORES " @ l1norm[x] @ " MIX, "x", true, 1, 1 },
    { SCORES " @ maxnorm[x] @ " MIX, "x", true, 1, 2 },
    { "n >> (rmsnorm[m] @ linear[m -> f])", "m", true, 1, 1 },
    { "n >> (linear[m -> v] @ logsumexp[v])", "v", true, 1, 2 },
    { "x: n m, t: i32[n]\ny = cross_entropy[v](linear[m -> v](x, @w), t)\n-> y", "v", true, 1, 2 },
    { "'a k, k b -> a b'", "k", true, 1, 1 },
    { "x: n m\nrmsnorm[m](x)", "m", false, 0, 0 },
    { "x: n m\nsoftmax[m](x)", "m", false, 0, 0 },
    { "x: n m\ny = linear[f -> p](mul(silu(linear[m -> f](x, @a)), linear[m -> f](x, @b)), @c)\n-> y", "f", true, 1, 1 },
};

static void definitions_stream(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        met_session *session = met_session_new();
        met_refusal refusal;
        const met_region *region = region_of(session, cases[i].program, &refusal);
        if (!region)
            fail_msg("%s: %s", cases[i].program, refusal.reason);
        uint32_t loop = met_region_loop_find(region, cases[i].stream);
        assert_int_not_equal(loop, MET_NONE);
        const met_stream_term *term = met_stream_derive(region, loop);
        if (term->streams != cases[i].streams)
            fail_msg("%s: %s", cases[i].program, term->reason ? term->reason : "streams");
        if (term->streams && (term->rank != cases[i].rank || term->fold_count != cases[i].folds))
            fail_msg("%s: rank %u, %u folds", cases[i].program, term->rank, term->fold_count);
        met_session_free(session);
    }
}

/* Self-attention from one array: the query and the key positions are one axis and two loops, and the array is two inputs. */
static void one_array_is_read_by_two_loops(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    met_refusal refusal;
    const met_region *region = region_of(session, "x: n m\ns = 'q m, x m -> q x'(x, x)\n-> s\n", &refusal);
    assert_non_null(region);
    assert_int_equal(region->loop_count, 3);
    assert_int_equal(region->value_count, 3);
    assert_string_equal(region->values[0].name, "x");
    assert_string_equal(region->values[1].name, "x.2");
    assert_true(region->values[0].loops != region->values[1].loops);
    assert_true(region->values[2].output && region->values[2].fold == MET_REGION_SUM);
    met_session_free(session);
}

static void selections_have_slots(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    met_refusal refusal;
    const met_region *region = region_of(session, "x: n m, t: i32[n]\ny, i = top_k[m -> k](x)\nz = gather['n m, n -> n'](x, t)\n-> y, i, z\n", &refusal);
    assert_non_null(region);
    assert_int_equal(region->value_count, 4);
    assert_true(region->values[1].fold == MET_REGION_TOP_K && !region->values[1].picks_index && region->values[1].slots);
    assert_true(region->values[2].fold == MET_REGION_TOP_K && region->values[2].picks_index);
    assert_true(region->values[3].input && region->values[3].output); /* read by id from outside */
    met_session_free(session);
}

static void what_cannot_be_said_is_refused(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    met_refusal refusal;
    assert_null(region_of(session, "x: n m\nu = relu(x)\ns = 'q m, x m -> q x'(u, u)\n-> s\n", &refusal));
    assert_string_equal(refusal.reason, "`q` and `x` of `s` would be one loop");
    assert_null(region_of(session, "x: n d\ny = rope[n d](relu(x))\n-> y\n", &refusal));
    assert_non_null(strstr(refusal.reason, "is not read element by element"));
    met_session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definitions_stream),
        cmocka_unit_test(one_array_is_read_by_two_loops),
        cmocka_unit_test(selections_have_slots),
        cmocka_unit_test(what_cannot_be_said_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
