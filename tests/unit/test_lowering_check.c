/* Plans of whole ops at random: every plan is sound, the exact one the cheapest; and what the checker refuses. */
#include "lowerings.h"

#include <stdio.h>

#include "support/random.h"

/* --- Everything at random --- */

static bool accepts_some(void *context, uint32_t count, const met_node_id *nodes)
{
    uint32_t sum = *(const uint32_t *)context + count;
    for (uint32_t i = 0; i < count; i++)
        sum = sum * 31 + nodes[i].id % 3;
    return count == 1 || sum % 3 != 0;
}

static const char *const unary[] = { "neg", "exp", "abs", "sqrt", NULL };

/* A random graph of maps with one and two inputs, and random chains of their ops as rules. */
static void make_random(bench *b, random_source *r)
{
    char program[4096];
    size_t length = (size_t)snprintf(program, sizeof program, "x: n m\nv0 = neg(x)\n");
    unsigned count = 3 + random_below(r, 9);
    for (unsigned n = 1; n < count; n++) {
        if (random_below(r, 3) == 0)
            length += (size_t)snprintf(program + length, sizeof program - length, "v%u = add(v%u, v%u)\n", n, random_below(r, n), random_below(r, n));
        else
            length += (size_t)snprintf(program + length, sizeof program - length, "v%u = %s(v%u)\n", n, random_word(r, unary), random_below(r, n));
    }
    snprintf(program + length, sizeof program - length, "-> v%u\n", count - 1);
    *b = bench_of(program, "n=64,m=64");
    put_singles(b);
    for (unsigned k = random_below(r, 8); k > 0; k--) {
        char id[16], pattern[512];
        size_t at = 0;
        snprintf(id, sizeof id, "r%u", k);
        for (unsigned e = 2 + random_below(r, 2); e > 0; e--)
            at += (size_t)snprintf(pattern + at, sizeof pattern - at, "%s{ op = [\"%s\", \"add\"]%s%s }", at ? ", " : "", random_word(r, unary),
                                   random_below(r, 2) ? ", keep = true" : "", at && random_below(r, 3) == 0 ? ", optional = true" : "");
        put_rule(&b->rules, id, 20 + (int)random_below(r, 3), pattern, "");
    }
}

static void plans_are_sound_and_ordered_by_price(void **state)
{
    (void)state;
    unsigned strictly = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        random_source r = { seed };
        bench b;
        uint32_t salt = (uint32_t)seed;
        make_random(&b, &r);
        if (random_below(&r, 2)) {
            b.options.region = accepts_some;
            b.options.region_context = &salt;
        }
        b.options.explain = true;
        const met_lowering *none = lower(&b, MET_LOWER_NONE), *greedy = lower(&b, MET_LOWER_GREEDY), *exact = lower(&b, MET_LOWER_EXACT);
        if (!none || !greedy || !exact)
            fail_msg("%s", met_session_diagnostics_text(b.session));
        assert_true(exact->proven && exact->bound_s <= exact->price.seconds);
        /* sums are rounded in another order */
        assert_true(exact->price.seconds <= greedy->price.seconds * (1 + 1e-12) && exact->price.seconds <= none->price.seconds * (1 + 1e-12));
        strictly += exact->price.seconds < greedy->price.seconds * (1 - 1e-9);
        met_session_free(b.session);
    }
    assert_true(strictly > 10);
}

/* --- The checker --- */

typedef struct mutant {
    met_lowering lowering;
    met_lowering_group groups[16];
    met_node_id nodes[16][16];
    uint32_t group_of[16];
    met_edge_class edges[64];
    met_format stored[64];
} mutant;

static void copy(mutant *m, const met_lowering *from)
{
    m->lowering = *from;
    assert_true(from->group_count <= 16 && from->circuit->edge_count <= 64 && from->circuit->node_count <= 16);
    for (uint32_t g = 0; g < from->group_count; g++) {
        m->groups[g] = from->groups[g];
        memcpy(m->nodes[g], from->groups[g].nodes, from->groups[g].node_count * sizeof(met_node_id));
        m->groups[g].nodes = m->nodes[g];
    }
    memcpy(m->group_of, from->group_of, from->circuit->node_count * sizeof *m->group_of);
    memcpy(m->edges, from->edges, from->circuit->edge_count * sizeof *m->edges);
    memcpy(m->stored, from->stored, from->circuit->edge_count * sizeof *m->stored);
    m->lowering.groups = m->groups;
    m->lowering.group_of = m->group_of;
    m->lowering.edges = m->edges;
    m->lowering.stored = m->stored;
}

static void swap_groups(mutant *m, uint32_t a, uint32_t b)
{
    met_lowering_group group = m->groups[a];
    m->groups[a] = m->groups[b];
    m->groups[b] = group;
    for (uint32_t n = 0; n < m->lowering.circuit->node_count; n++)
        m->group_of[n] = m->group_of[n] == a ? b : m->group_of[n] == b ? a : m->group_of[n];
}

static void expect_fault(mutant *m, const char *wanted)
{
    const char *fault = met_lowering_check(&m->lowering);
    assert_non_null(fault);
    assert_string_equal(fault, wanted);
}

static void the_checker_refuses_what_is_wrong(void **state)
{
    (void)state;
    bench b = bench_of(chain, "n=4,m=4");
    put_singles(&b);
    put_rule(&b.rules, "pair", 100, "{ op = \"exp\" }, { op = \"abs\" }", "");
    const met_lowering *good = lower(&b, MET_LOWER_GREEDY);
    assert_string_equal(groups_of(&b, good), "one:0 pair:1,2 one:3");
    static mutant m;
    uint32_t inner = b.circuit->nodes[1].outs[0].id, outer = b.circuit->nodes[2].outs[0].id;
    copy(&m, good);
    m.groups[2].nodes = m.groups[0].nodes;
    expect_fault(&m, "a node is covered twice");
    copy(&m, good);
    m.lowering.group_count--;
    expect_fault(&m, "a node is not covered");
    copy(&m, good);
    m.group_of[3] = 1;
    expect_fault(&m, "a node is said to be in another group than it is");
    copy(&m, good);
    m.nodes[1][0].id = 2;
    m.nodes[1][1].id = 1;
    expect_fault(&m, "a group's nodes are not in order");
    copy(&m, good);
    swap_groups(&m, 0, 1);
    expect_fault(&m, "groups are not in the order in which they run");
    copy(&m, good); /* {0, 2} and {1}: a way out and back */
    m.groups[0].node_count = 2;
    m.nodes[0][1].id = 2;
    m.group_of[2] = 0;
    m.groups[1].node_count = 1;
    expect_fault(&m, "a group is not convex");
    copy(&m, good); /* the pair's rule on other nodes */
    m.groups[0].rule = m.groups[1].rule;
    expect_fault(&m, "a rule does not match the nodes of its group, or hands out what it may not");
    copy(&m, good);
    m.groups[0].kernels = (met_name_list){ 0 };
    expect_fault(&m, "a group has other kernels than its rule");
    copy(&m, good);
    m.groups[1].tag = MET_TAG_DIFFERS;
    expect_fault(&m, "a group has another numerics tag than its rule");
    copy(&m, good);
    m.edges[inner] = MET_EDGE_MATERIALIZED;
    expect_fault(&m, "an edge is materialized that stays inside of a group");
    copy(&m, good);
    m.edges[outer] = MET_EDGE_FUSED;
    expect_fault(&m, "an edge is fused that others need");
    copy(&m, good);
    m.stored[outer] = met_format_of(MET_BF16);
    expect_fault(&m, "an edge is stored in another format than its group says");
    copy(&m, good);
    m.lowering.price.bytes += 1;
    expect_fault(&m, "the price of the plan is not that of its groups");
    copy(&m, good);
    assert_null(met_lowering_check(&m.lowering));
    met_session_free(b.session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_are_sound_and_ordered_by_price),
        cmocka_unit_test(the_checker_refuses_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
