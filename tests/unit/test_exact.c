/* Exact covers: known values, and the solver against trying everything. */
#include "cases.h"

#include <math.h>
#include <string.h>

#include "plan/exact_cover.h"
#include "support/random.h"

enum { NODES = 12, CANDIDATES = 64, ROUNDS = 3000 };

typedef struct instance {
    uint32_t node_count, pair_count, candidate_count;
    met_flow_pair pairs[NODES * NODES];
    met_cover_candidate candidates[CANDIDATES];
    met_node_id nodes[CANDIDATES][NODES];
    met_cover_fact facts[CANDIDATES][2];
} instance;

/* --- Trying everything --- */

typedef struct trial {
    const instance *in;
    uint32_t count, chosen[NODES], best_count, best[NODES];
    uint32_t covered; /* nodes as bits */
    double cost, best_cost;
    bool found;
} trial;

static uint32_t set_of(const met_cover_candidate *c)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < c->count; i++)
        bits |= 1u << c->nodes[i].id;
    return bits;
}

/* Whether groups can be done one after another, by doing whatever can be done. */
static bool can_run(const trial *t)
{
    uint32_t done = 0;
    for (uint32_t round = 0; round < t->count; round++)
        for (uint32_t g = 0; g < t->count; g++) {
            uint32_t bits = set_of(&t->in->candidates[t->chosen[g]]), needs = 0;
            for (uint32_t p = 0; p < t->in->pair_count; p++)
                if (bits >> t->in->pairs[p].to & 1)
                    needs |= 1u << t->in->pairs[p].from;
            if ((needs & ~bits & ~done) == 0)
                done |= bits;
        }
    return done == (1u << t->in->node_count) - 1;
}

static bool formats_agree(const trial *t)
{
    for (uint32_t a = 0; a < t->count; a++)
        for (uint32_t b = 0; b < t->count; b++) {
            const met_cover_candidate *x = &t->in->candidates[t->chosen[a]], *y = &t->in->candidates[t->chosen[b]];
            for (uint32_t i = 0; i < x->make_count; i++)
                for (uint32_t k = 0; k < y->demand_count; k++)
                    if (x->makes[i].edge == y->demands[k].edge && x->makes[i].format != y->demands[k].format)
                        return false;
        }
    return true;
}

static bool is_less(const trial *t)
{
    for (uint32_t g = 0; g < t->count; g++) {
        const met_cover_candidate *a = &t->in->candidates[t->chosen[g]], *b = &t->in->candidates[t->best[g]];
        for (uint32_t i = 0; i < a->count && i < b->count; i++)
            if (a->nodes[i].id != b->nodes[i].id)
                return a->nodes[i].id < b->nodes[i].id;
        if (a->count != b->count)
            return a->count < b->count;
    }
    return false;
}

static void keep_if_better(trial *t)
{
    bool better = !t->found || t->cost < t->best_cost ||
                  (t->cost == t->best_cost && (t->count < t->best_count || (t->count == t->best_count && is_less(t))));
    if (!better || !can_run(t) || !formats_agree(t))
        return;
    t->found = true;
    t->best_cost = t->cost;
    t->best_count = t->count;
    memcpy(t->best, t->chosen, sizeof t->best);
}

static void try_from(trial *t, uint32_t node)
{
    while (node < t->in->node_count && (t->covered >> node & 1))
        node++;
    if (node == t->in->node_count) {
        keep_if_better(t);
        return;
    }
    for (uint32_t c = 0; c < t->in->candidate_count; c++) {
        const met_cover_candidate *candidate = &t->in->candidates[c];
        uint32_t bits = set_of(candidate);
        if (candidate->nodes[0].id != node || (bits & t->covered))
            continue;
        t->chosen[t->count++] = c;
        t->covered |= bits;
        t->cost += candidate->cost;
        try_from(t, node + 1);
        t->count--;
        t->covered &= ~bits;
        t->cost -= candidate->cost;
    }
}

/* --- Random instances: whole costs, so that sums are exact and ties frequent --- */

static void add_candidate(instance *in, uint32_t bits, double cost)
{
    uint32_t c = in->candidate_count++, count = 0;
    for (uint32_t n = 0; n < in->node_count; n++)
        if (bits >> n & 1)
            in->nodes[c][count++].id = n;
    in->candidates[c] = (met_cover_candidate){ .count = count, .nodes = in->nodes[c], .cost = cost };
}

static bool has_candidate(const instance *in, uint32_t bits)
{
    for (uint32_t c = 0; c < in->candidate_count; c++)
        if (set_of(&in->candidates[c]) == bits)
            return true;
    return false;
}

/* Some candidates say in which format they leave an edge (numbered by its node) and in which they read it. */
static void add_formats(instance *in, random_source *r)
{
    for (uint32_t c = 0; c < in->candidate_count; c++) {
        met_cover_candidate *candidate = &in->candidates[c];
        uint32_t from = candidate->nodes[candidate->count - 1].id, bits = set_of(candidate);
        in->facts[c][0] = (met_cover_fact){ .edge = from, .format = random_below(r, 4) == 0, .last = NODES };
        candidate->makes = &in->facts[c][0];
        candidate->make_count = 1;
        for (uint32_t p = 0; p < in->pair_count && candidate->demand_count == 0; p++)
            if ((bits >> in->pairs[p].to & 1) && !(bits >> in->pairs[p].from & 1)) {
                in->facts[c][1] = (met_cover_fact){ .edge = in->pairs[p].from, .format = random_below(r, 4) == 0, .last = NODES };
                candidate->demands = &in->facts[c][1];
                candidate->demand_count = 1;
            }
    }
}

static void make_instance(instance *in, uint64_t seed)
{
    random_source r = { seed };
    *in = (instance){ .node_count = 1 + random_below(&r, NODES) };
    for (uint32_t to = 1; to < in->node_count; to++)
        for (unsigned k = 1 + random_below(&r, 2); k > 0; k--)
            in->pairs[in->pair_count++] = (met_flow_pair){ random_below(&r, to), to };
    bool singles = random_below(&r, 8) != 0;
    for (uint32_t n = 0; n < in->node_count; n++)
        if (singles || random_below(&r, 3))
            add_candidate(in, 1u << n, 2 + random_below(&r, 4));
    for (unsigned k = random_below(&r, 40); k > 0; k--) {
        uint32_t bits = 0;
        unsigned size = 2 + random_below(&r, 3);
        while (size-- > 0)
            bits |= 1u << random_below(&r, in->node_count);
        if (!has_candidate(in, bits))
            add_candidate(in, bits, 1 + random_below(&r, 8));
    }
    if (random_below(&r, 3) == 0)
        add_formats(in, &r);
}

static void the_solver_finds_what_trying_everything_finds(void **state)
{
    (void)state;
    unsigned covers = 0, cycles = 0;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        static instance in;
        make_instance(&in, seed);
        trial t = { .in = &in };
        try_from(&t, 0);
        met_arena *arena = met_arena_new();
        met_cover_problem problem = { met_flow_of_pairs(arena, in.node_count, in.pair_count, in.pairs), in.candidate_count, in.candidates, 0, 0 };
        met_cover_result result;
        bool found = met_cover_solve(arena, &problem, &result);
        assert_int_equal(found, t.found);
        assert_true(result.proven);
        if (found) {
            assert_true(result.cost == t.best_cost);
            assert_int_equal(result.count, t.best_count);
            for (uint32_t g = 0; g < result.count; g++)
                assert_int_equal(result.chosen[g], t.best[g]);
            assert_true(met_cover_bound(&problem) <= t.best_cost);
        }
        covers += found;
        cycles += !found;
        met_arena_free(arena);
    }
    assert_true(covers > ROUNDS / 2 && cycles > 20);
}

static void with_few_states_the_cover_is_one_and_the_bound_is_below(void **state)
{
    (void)state;
    unsigned limited = 0;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        static instance in;
        make_instance(&in, seed);
        met_arena *arena = met_arena_new();
        met_cover_problem problem = { met_flow_of_pairs(arena, in.node_count, in.pair_count, in.pairs), in.candidate_count, in.candidates, 0, 0 };
        met_cover_result best, result;
        bool exists = met_cover_solve(arena, &problem, &best);
        problem.state_limit = 1;
        if (met_cover_solve(arena, &problem, &result)) {
            assert_true(exists && result.cost >= best.cost && result.bound <= best.cost);
            limited += !result.proven;
        }
        met_arena_free(arena);
    }
    assert_true(limited > 100);
}

static void what_is_known_changes_nothing_but_what_is_looked_for(void **state)
{
    (void)state;
    unsigned beaten = 0;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        static instance in;
        make_instance(&in, seed);
        met_arena *arena = met_arena_new();
        met_cover_problem problem = { met_flow_of_pairs(arena, in.node_count, in.pair_count, in.pairs), in.candidate_count, in.candidates, 0, 0 };
        met_cover_result best, result;
        if (met_cover_solve(arena, &problem, &best)) {
            for (unsigned more = 0; more < 3; more++) {
                problem.known_cost = best.cost + more;
                assert_true(met_cover_solve(arena, &problem, &result) && result.proven);
                assert_int_equal(result.count, best.count);
                assert_memory_equal(result.chosen, best.chosen, best.count * sizeof *best.chosen);
            }
            problem.known_cost = best.cost - 0.5;
            beaten += !met_cover_solve(arena, &problem, &result);
            assert_true(result.proven && (result.count > 0 || result.bound == problem.known_cost));
        }
        met_arena_free(arena);
    }
    assert_true(beaten > ROUNDS / 4);
}

/* Nodes without order between them and all pairs of them: 2^n states. */
static void work_is_limited_where_states_are_many(void **state)
{
    (void)state;
    enum { WIDE = 48 };
    static met_cover_candidate candidates[WIDE * WIDE];
    static met_node_id nodes[WIDE * WIDE][2];
    uint32_t count = 0;
    for (uint32_t a = 0; a < WIDE; a++)
        for (uint32_t b = a; b < WIDE; b++) {
            nodes[count][0].id = a;
            nodes[count][1].id = b;
            candidates[count] = (met_cover_candidate){ .count = a == b ? 1 : 2, .nodes = nodes[count], .cost = a == b ? 3 : 4 + (a * 7 + b) % 5 };
            count++;
        }
    met_arena *arena = met_arena_new();
    met_cover_problem problem = { met_flow_of_pairs(arena, WIDE, 0, NULL), count, candidates, 0, 0 };
    met_cover_result result;
    assert_true(met_cover_solve(arena, &problem, &result));
    assert_true(!result.proven && result.bound <= result.cost && result.cost <= 3 * WIDE);
    met_arena_free(arena);
}

/* --- Known values --- */

static void read_instance(instance *in, const met_value *given)
{
    *in = (instance){ .node_count = (uint32_t)field(given, "n")->integer };
    const met_value *edges = field(given, "edges"), *candidates = field(given, "candidates"), *single = field(given, "single");
    for (size_t i = 0; i < edges->items.count; i++)
        in->pairs[in->pair_count++] = (met_flow_pair){ (uint32_t)edges->items.at[i]->items.at[0]->integer,
                                                       (uint32_t)edges->items.at[i]->items.at[1]->integer };
    for (size_t i = 0; i < candidates->items.count; i++) {
        const met_value *nodes = field(candidates->items.at[i], "nodes");
        uint32_t bits = 0;
        for (size_t k = 0; k < nodes->items.count; k++)
            bits |= 1u << nodes->items.at[k]->integer;
        add_candidate(in, bits, field(candidates->items.at[i], "cost")->number);
    }
    for (uint32_t n = 0; n < in->node_count; n++)
        add_candidate(in, 1u << n, single->items.at[n]->number);
}

/* By priority (high first), then rule, then first node: the place of the next candidate after `before`. */
static int compare_rank(const met_value *list, size_t a, size_t b)
{
    const met_value *x = list->items.at[a], *y = list->items.at[b];
    int64_t p = field(x, "priority")->integer, q = field(y, "priority")->integer;
    if (p != q)
        return p > q ? -1 : 1;
    int order = strcmp(string_field(x, "rule").at, string_field(y, "rule").at);
    if (order)
        return order;
    int64_t m = field(x, "nodes")->items.at[0]->integer, n = field(y, "nodes")->items.at[0]->integer;
    return (m > n) - (m < n);
}

static void check_greedy(const instance *in, const met_flow *flow, met_arena *arena, const met_value *candidates, const met_value *out)
{
    met_quotient *quotient = met_quotient_new(arena, flow);
    uint32_t taken = 0, chosen[CANDIDATES], count = 0;
    bool done[CANDIDATES] = { false };
    for (size_t round = 0; round < candidates->items.count; round++) {
        size_t next = SIZE_MAX;
        for (size_t i = 0; i < candidates->items.count; i++)
            if (!done[i] && (next == SIZE_MAX || compare_rank(candidates, i, next) < 0))
                next = i;
        done[next] = true;
        const met_cover_candidate *c = &in->candidates[next];
        if ((set_of(c) & taken) || !met_quotient_merge(quotient, c->count, c->nodes))
            continue;
        taken |= set_of(c);
        chosen[count++] = (uint32_t)next;
    }
    for (uint32_t n = 0; n < in->node_count; n++)
        if (!(taken >> n & 1))
            chosen[count++] = (uint32_t)candidates->items.count + n;
    double cost = 0;
    const met_value *groups = field(out, "greedy_groups");
    assert_int_equal(groups->items.count, count);
    for (uint32_t g = 0; g < count; g++) {
        cost += in->candidates[chosen[g]].cost;
        bool listed = false;
        for (size_t i = 0; i < groups->items.count; i++) {
            uint32_t bits = 0;
            for (size_t k = 0; k < groups->items.at[i]->items.count; k++)
                bits |= 1u << groups->items.at[i]->items.at[k]->integer;
            listed = listed || bits == set_of(&in->candidates[chosen[g]]);
        }
        assert_true(listed);
    }
    assert_true(cost == field(out, "greedy")->number);
}

static void check_case(const test_case *test)
{
    static instance in;
    read_instance(&in, test->in);
    met_arena *arena = met_arena_new();
    const met_flow *flow = met_flow_of_pairs(arena, in.node_count, in.pair_count, in.pairs);
    met_cover_problem problem = { flow, in.candidate_count, in.candidates, 0, 0 };
    met_cover_result result;
    assert_true(met_cover_solve(arena, &problem, &result) && result.proven);
    expect_number(test, result.cost, number_field(test->out, "best"));
    check_greedy(&in, flow, arena, field(test->in, "candidates"), test->out);
    met_arena_free(arena);
}

static void known_covers(void **state)
{
    (void)state;
    each_case(MET_TEST_DATA_DIR "/covers.toml", "cover", 8, check_case);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_covers),
        cmocka_unit_test(the_solver_finds_what_trying_everything_finds),
        cmocka_unit_test(what_is_known_changes_nothing_but_what_is_looked_for),
        cmocka_unit_test(work_is_limited_where_states_are_many),
        cmocka_unit_test(with_few_states_the_cover_is_one_and_the_bound_is_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
