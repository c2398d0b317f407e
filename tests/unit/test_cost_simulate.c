/* The solver against brute force: a simulator steps through every tile of a nest, loads and stores element by element into
 * a level of limited capacity, and counts. For random small problems the solver's traffic and memory are the simulator's,
 * and among all tiles and orders none is better. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cost/solve.h"
#include "cost_maker.h"

enum { LOOPS = 5, ARRAYS = 4 };

/* Small random numbers: a linear congruential generator. */
static uint32_t roll(uint64_t *state, uint32_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % below;
}

/* --- The simulator --- */

typedef struct machine {
    const met_cost_problem *p;
    const uint64_t *tile;
    uint64_t at[LOOPS];           /* first index of the present tile of each loop */
    uint64_t held[ARRAYS][LOOPS]; /* the tile that stands in the level */
    bool holds[ARRAYS];
    uint64_t moved;
} machine;

static uint64_t reach(const machine *m, uint32_t l, uint64_t first)
{
    uint64_t left = m->p->loops[l].size - first;
    return m->tile[l] < left ? m->tile[l] : left;
}

/* Visits the elements of an array under a tile, one by one. */
static uint64_t touch(const machine *m, const met_cost_array *array, const uint64_t *first)
{
    uint64_t index[LOOPS] = { 0 }, count = 0;
    for (;;) {
        count++;
        uint32_t l = 0;
        for (; l < m->p->loop_count; l++) {
            if (!(array->shape.loops >> l & 1))
                continue;
            if (++index[l] < reach(m, l, first[l]))
                break;
            index[l] = 0;
        }
        if (l == m->p->loop_count)
            return count;
    }
}

static bool same_tile(const machine *m, uint32_t a)
{
    for (uint32_t l = 0; l < m->p->loop_count; l++)
        if (m->p->arrays[a].shape.loops >> l & 1 && m->held[a][l] != m->at[l])
            return false;
    return m->holds[a];
}

/* Room is kept for full tiles: a ragged one leaves some of it empty. */
static void hold(machine *m, uint32_t a)
{
    const met_cost_array *array = &m->p->arrays[a];
    if (same_tile(m, a))
        return;
    m->moved += array->weight * touch(m, array, m->at); /* loaded, or stored when it is let go */
    memcpy(m->held[a], m->at, sizeof m->at);
    m->holds[a] = true;
}

static uint64_t room(const machine *m)
{
    uint64_t sum = 0;
    for (uint32_t r = 0; r < m->p->resident_count; r++) {
        uint64_t first[LOOPS] = { 0 };
        met_cost_array as_array = { .shape = m->p->residents[r].shape };
        sum += m->p->residents[r].weight * touch(m, &as_array, first); /* the first tile is a full one */
    }
    return sum;
}

/* Runs the loops from order[depth] inwards. Each group starts with an empty level. */
static void run_nest(machine *m, uint32_t depth)
{
    if (depth == m->p->group_count)
        memset(m->holds, 0, sizeof m->holds);
    if (depth == m->p->order_count) {
        for (uint32_t a = 0; a < m->p->array_count; a++)
            hold(m, a);
        return;
    }
    uint32_t l = m->p->order[depth];
    for (m->at[l] = 0; m->at[l] < m->p->loops[l].size; m->at[l] += m->tile[l])
        run_nest(m, depth + 1);
    m->at[l] = 0;
}

static uint64_t simulate(const met_cost_problem *p, const uint64_t *tile, uint64_t *ret_memory)
{
    machine m = { .p = p, .tile = tile };
    run_nest(&m, 0);
    *ret_memory = room(&m);
    return m.moved;
}

/* --- All schedules --- */

typedef struct best {
    bool found;
    uint64_t traffic, memory, tile[LOOPS];
} best;

static void try_tiles(const met_cost_problem *p, uint64_t capacity, uint32_t loop, uint64_t *tile, best *b)
{
    if (loop < p->loop_count) {
        const met_cost_loop *l = &p->loops[loop];
        bool whole = l->partition == MET_PARTITION_LOCAL;
        for (uint64_t t = whole ? l->size : l->granule; t <= l->size; t += l->granule) {
            tile[loop] = t;
            try_tiles(p, capacity, loop + 1, tile, b);
        }
        return;
    }
    uint64_t memory, traffic = simulate(p, tile, &memory);
    assert_int_equal(traffic, met_cost_traffic(p, tile));
    assert_int_equal(memory, met_cost_memory(p, tile));
    if (memory > capacity)
        return;
    bool better = !b->found || traffic < b->traffic || (traffic == b->traffic && memory < b->memory);
    for (uint32_t l = 0; !better && traffic == b->traffic && memory == b->memory && l < p->loop_count; l++)
        if (tile[l] != b->tile[l]) {
            better = tile[l] < b->tile[l];
            break;
        }
    if (!better)
        return;
    *b = (best){ .found = true, .traffic = traffic, .memory = memory };
    memcpy(b->tile, tile, p->loop_count * sizeof *tile);
}

static void try_orders(met_cost_problem *p, uint32_t *order, uint32_t at, uint64_t capacity, best *b)
{
    uint64_t tile[LOOPS];
    if (at >= p->order_count) {
        try_tiles(p, capacity, 0, tile, b);
        return;
    }
    for (uint32_t i = at; i < p->order_count; i++) {
        uint32_t kept = order[at];
        order[at] = order[i];
        order[i] = kept;
        try_orders(p, order, at + 1, capacity, b);
        order[i] = order[at];
        order[at] = kept;
    }
}

/* --- Random problems --- */

static const met_cost_problem *random_problem(maker *m, met_arena *arena, uint64_t *state)
{
    static const char letters[LOOPS + 1] = "abcde";
    make(m, arena);
    uint32_t groups = roll(state, 3), streams = roll(state, groups == 2 ? 2 : 3), locals = roll(state, 2);
    if (groups + streams == 0)
        groups = 1;
    for (uint32_t l = 0; l < groups + streams + locals; l++) {
        met_partition partition = l < groups ? MET_PARTITION_GROUP : l < groups + streams ? MET_PARTITION_STREAM : MET_PARTITION_LOCAL;
        uint64_t size = 1 + roll(state, partition == MET_PARTITION_LOCAL ? 3 : 8);
        uint64_t granule = partition == MET_PARTITION_LOCAL || roll(state, 3) ? 1 : 1 + roll(state, (uint32_t)(size < 3 ? size : 3));
        add_loop(m, letters[l], size, partition, granule);
    }
    uint32_t arrays = 1 + roll(state, ARRAYS);
    for (uint32_t a = 0; a < arrays; a++) {
        char name[LOOPS + 1] = { 0 };
        for (uint32_t l = 0; l < m->p.loop_count; l++)
            if (roll(state, 3))
                name[strlen(name)] = letters[l];
        const char *text = met_arena_text(arena, name, strlen(name));
        uint64_t weight = 1 + roll(state, 2);
        add_array(m, text, text, roll(state, 2) ? MET_COST_IN : MET_COST_OUT, weight);
        add_resident(m, text, weight);
    }
    if (roll(state, 2)) /* a temporary that is never moved */
        add_resident(m, m->arrays[0].name, 1 + roll(state, 2));
    return made(m);
}

static void expect_best(const met_cost_problem *p, const met_cost_solution *solution, const best *b)
{
    assert_true(solution->proven);
    assert_int_equal(solution->feasible, b->found);
    if (!b->found)
        return;
    assert_int_equal(solution->traffic, b->traffic);
    assert_int_equal(solution->memory, b->memory);
    assert_memory_equal(solution->tile, b->tile, p->loop_count * sizeof *b->tile);
    assert_true(solution->traffic >= solution->compulsory);
}

/* Over every order of the streams, and in the order given. */
static void solver_is_brute_force(void **unused)
{
    (void)unused;
    uint64_t state = 20, tile[LOOPS];
    int infeasible = 0;
    for (int round = 0; round < 300; round++) {
        met_arena *arena = met_arena_new();
        maker m;
        const met_cost_problem *p = random_problem(&m, arena, &state);
        uint64_t capacity = 2 + roll(&state, 120);
        best any = { .found = false }, given = { .found = false };
        met_cost_problem reordered = *p;
        uint32_t order[LOOPS];
        memcpy(order, p->order, p->order_count * sizeof *order);
        reordered.order = order;
        try_orders(&reordered, order, p->group_count, capacity, &any);
        met_cost_solution solution = met_cost_solve(arena, p, capacity, NULL);
        expect_best(p, &solution, &any);
        try_tiles(p, capacity, 0, tile, &given);
        solution = met_cost_solve(arena, p, capacity, &(met_cost_limits){ .keep_order = true });
        expect_best(p, &solution, &given);
        infeasible += !any.found;
        met_arena_free(arena);
    }
    assert_in_range(infeasible, 5, 150); /* both kinds are there */
}

/* --- Two levels --- */

typedef struct pair {
    bool found;
    double cost;
} pair;

static bool nests(const met_cost_problem *p, const uint64_t *inner, const uint64_t *outer, bool divide)
{
    for (uint32_t l = 0; l < p->loop_count; l++)
        if (inner[l] > outer[l] || (divide && outer[l] % inner[l] != 0 && outer[l] != p->loops[l].size))
            return false;
    return true;
}

/* Tiles 1 to the size of each loop, one after the other; false after the last. */
static bool next_tiles(const met_cost_problem *p, uint64_t *tile)
{
    for (uint32_t l = p->loop_count; l-- > 0;) {
        if (p->loops[l].partition != MET_PARTITION_LOCAL && tile[l] < p->loops[l].size) {
            tile[l]++;
            return true;
        }
        tile[l] = p->loops[l].partition == MET_PARTITION_LOCAL ? p->loops[l].size : 1;
    }
    return false;
}

static void start_tiles(const met_cost_problem *p, uint64_t *tile)
{
    for (uint32_t l = 0; l < p->loop_count; l++)
        tile[l] = p->loops[l].partition == MET_PARTITION_LOCAL ? p->loops[l].size : 1;
}

static void try_pairs(const met_cost_problem *p, const met_cost_level *levels, bool divide, pair *b)
{
    uint64_t outer[LOOPS], inner[LOOPS];
    start_tiles(p, outer);
    do {
        if (met_cost_memory(p, outer) > levels[0].capacity)
            continue;
        start_tiles(p, inner);
        do {
            if (met_cost_memory(p, inner) > levels[1].capacity || !nests(p, inner, outer, divide))
                continue;
            double cost = levels[0].weight * (double)met_cost_traffic(p, outer) + levels[1].weight * (double)met_cost_traffic(p, inner);
            if (b->found && cost >= b->cost)
                continue;
            *b = (pair){ .found = true, .cost = cost };
        } while (next_tiles(p, inner));
    } while (next_tiles(p, outer));
}

static void levels_are_brute_force(void **unused)
{
    (void)unused;
    uint64_t state = 77;
    for (int round = 0; round < 120; round++) {
        met_arena *arena = met_arena_new();
        maker m;
        const met_cost_problem *p = make_matmul(&m, arena, 1 + roll(&state, 9), 1 + roll(&state, 5), 1 + roll(&state, 9), 1, 1);
        met_cost_level levels[2] = { { 10 + roll(&state, 60), 1 + roll(&state, 4) }, { 3 + roll(&state, 60), 1 + roll(&state, 4) } };
        for (int divide = 0; divide < 2; divide++) {
            pair b = { .found = false };
            try_pairs(p, levels, divide, &b);
            met_cost_solution solutions[2];
            double cost = met_cost_solve_levels(arena, p, 2, levels, (met_cost_nesting){ .divide = divide }, solutions);
            assert_int_equal(solutions[0].feasible, b.found);
            if (!b.found)
                continue;
            assert_true(solutions[0].proven && nests(p, solutions[1].tile, solutions[0].tile, divide));
            assert_true(cost == b.cost);
            for (int l = 0; l < 2; l++) {
                assert_true(solutions[l].memory <= levels[l].capacity);
                assert_int_equal(solutions[l].traffic, met_cost_traffic(p, solutions[l].tile));
            }
        }
        met_arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solver_is_brute_force),
        cmocka_unit_test(levels_are_brute_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
