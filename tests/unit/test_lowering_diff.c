/* Two plans of one circuit: sets of nodes that both cover with whole groups, and what differs there. */
#include "circuits.h"

#include "plan/lowering_diff.h"

static const char *const single[] = { "exp", "silu", "neg", "one", "two" };

/* Groups given by the number of nodes in each; kernel k of `single`. */
static const met_lowering *lowering_of(const met_circuit *circuit, uint32_t count, const uint32_t *sizes, const uint32_t *kernels)
{
    met_arena *arena = circuit->arena;
    met_lowering *lowering = MET_NEW(arena, met_lowering);
    met_lowering_group *groups = MET_NEW_ARRAY(arena, met_lowering_group, count);
    uint32_t node = 0;
    for (uint32_t g = 0; g < count; g++) {
        met_node_id *nodes = MET_NEW_ARRAY(arena, met_node_id, sizes[g]);
        for (uint32_t n = 0; n < sizes[g]; n++)
            nodes[n].id = node++;
        groups[g] = (met_lowering_group){ .node_count = sizes[g], .nodes = nodes, .kernels = { 1, &single[kernels[g]] } };
        groups[g].price.seconds = sizes[g];
    }
    assert_int_equal(node, circuit->node_count);
    *lowering = (met_lowering){ .circuit = circuit, .group_count = count, .groups = groups };
    return lowering;
}

static void sets_of_groups(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    const met_circuit *circuit = circuit_of(session, "exp @ silu @ neg @ exp @ silu @ neg @ exp", "");
    /* e | s n | e | s n | e  against  e s | n | e s | n | e */
    const met_lowering *a = lowering_of(circuit, 5, (uint32_t[]){ 1, 2, 1, 2, 1 }, (uint32_t[]){ 0, 3, 0, 3, 0 });
    const met_lowering *b = lowering_of(circuit, 5, (uint32_t[]){ 2, 1, 2, 1, 1 }, (uint32_t[]){ 4, 2, 4, 2, 0 });
    const met_lowering_diff *diff = met_lowering_compare(a, b);
    assert_int_equal(diff->same, 1);
    assert_int_equal(diff->change_count, 1); /* it comes twice */
    assert_int_equal(diff->changes[0].count, 2);
    assert_string_equal(diff->changes[0].ops, "exp, silu, neg");
    assert_string_equal(diff->changes[0].a, "exp + one");
    assert_string_equal(diff->changes[0].b, "two + neg");
    assert_float_equal(diff->changes[0].a_seconds, 3, 0);
    /* what is the same and what changes is all there is, on either side */
    assert_true(diff->same_a_seconds + 2 * diff->changes[0].a_seconds == 7);
    assert_true(diff->same_b_seconds + 2 * diff->changes[0].b_seconds == 7);
    /* the same groups with another kernel in one */
    b = lowering_of(circuit, 5, (uint32_t[]){ 1, 2, 1, 2, 1 }, (uint32_t[]){ 0, 3, 0, 4, 0 });
    diff = met_lowering_compare(a, b);
    assert_int_equal(diff->same, 4);
    assert_int_equal(diff->change_count, 1);
    assert_string_equal(diff->changes[0].ops, "silu, neg");
    assert_string_equal(diff->changes[0].b, "two");
    diff = met_lowering_compare(a, a);
    assert_int_equal(diff->same, 5);
    assert_int_equal(diff->change_count, 0);
    met_session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(sets_of_groups) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
