#include "cost/search.h"

#include <string.h>

/* The best choice so far of a search through one level, over several orders. */
typedef struct best {
    bool found;
    uint64_t traffic, memory;
    uint64_t tile[MET_KERNEL_LOOPS];
    uint32_t order[MET_KERNEL_LOOPS];
} best;

/* Tiles in the order of the loops. */
static int compare_tiles(uint32_t count, const uint64_t *a, const uint64_t *b)
{
    for (uint32_t l = 0; l < count; l++)
        if (a[l] != b[l])
            return a[l] < b[l] ? -1 : 1;
    return 0;
}

static void visit(met_cost_search *s, uint64_t traffic)
{
    best *b = s->context;
    const met_cost_problem *p = s->problem;
    uint64_t memory = met_cost_memory(p, s->tile);
    bool better = !b->found || traffic < b->traffic;
    if (!better && traffic == b->traffic)
        better = memory < b->memory || (memory == b->memory && compare_tiles(p->loop_count, s->tile, b->tile) < 0);
    if (!better)
        return;
    *b = (best){ .found = true, .traffic = traffic, .memory = memory };
    memcpy(b->tile, s->tile, sizeof b->tile);
    memcpy(b->order, p->order, p->order_count * sizeof *p->order);
}

static bool useless(met_cost_search *s, uint64_t traffic, uint64_t memory)
{
    const best *b = s->context;
    return b->found && (traffic > b->traffic || (traffic == b->traffic && memory > b->memory));
}

static void swap(uint32_t *a, uint32_t *b)
{
    uint32_t kept = *a;
    *a = *b;
    *b = kept;
}

/* The next order of `count` distinct numbers; false after the last. */
static bool next_order(uint32_t *at, uint32_t count)
{
    uint32_t i = count;
    while (i > 1 && at[i - 2] > at[i - 1])
        i--;
    if (i < 2)
        return false;
    uint32_t j = count - 1;
    while (at[j] < at[i - 2])
        j--;
    swap(&at[i - 2], &at[j]);
    for (uint32_t low = i - 1, high = count - 1; low < high; low++, high--)
        swap(&at[low], &at[high]);
    return true;
}

/* Searches every order of the streams. False if steps ran out or there are too many orders. */
static bool search_orders(met_cost_search *search, const met_cost_problem *problem, bool keep_order)
{
    uint32_t streams = problem->order_count - problem->group_count;
    uint32_t place[MET_KERNEL_LOOPS], order[MET_KERNEL_LOOPS];
    met_cost_problem ordered = *problem;
    ordered.order = order;
    search->problem = &ordered;
    for (uint32_t i = 0; i < streams; i++)
        place[i] = i;
    bool done = true, all = keep_order || streams <= MET_COST_STREAMS;
    do {
        for (uint32_t i = 0; i < problem->order_count; i++) {
            bool stream = i >= problem->group_count;
            order[i] = problem->order[stream ? problem->group_count + place[i - problem->group_count] : i];
        }
        met_cost_search_start(search);
        done = met_cost_search_run(search) && done;
    } while (all && !keep_order && done && next_order(place, streams));
    search->problem = problem;
    return done && all;
}

static met_cost_solution solution_of(met_arena *arena, const met_cost_problem *p, const best *b)
{
    met_cost_solution solution = { .feasible = b->found, .compulsory = met_cost_compulsory(p) };
    if (!b->found)
        return solution;
    solution.traffic = b->traffic;
    solution.memory = b->memory;
    solution.tile = met_arena_copy(arena, b->tile, p->loop_count, sizeof *b->tile);
    solution.order = met_arena_copy(arena, b->order, p->order_count, sizeof *b->order);
    uint64_t *moved = MET_NEW_ARRAY(arena, uint64_t, p->array_count);
    met_cost_problem ordered = *p;
    ordered.order = solution.order;
    for (uint32_t a = 0; a < p->array_count; a++)
        moved[a] = met_cost_array_traffic(&ordered, &p->arrays[a], b->tile);
    solution.moved = moved;
    return solution;
}

met_cost_solution met_cost_solve(met_arena *arena, const met_cost_problem *problem, uint64_t capacity,
                                 const met_cost_limits *limits)
{
    best b = { .found = false };
    met_cost_limits none = { 0 };
    limits = limits ? limits : &none;
    met_cost_search search = { .problem = problem, .capacity = capacity,
                               .minimum = limits->minimum, .step = limits->step, .powers = limits->powers,
                               .step_limit = limits->steps ? limits->steps : MET_COST_STEPS,
                               .visit = visit, .useless = useless, .context = &b };
    bool proven = search_orders(&search, problem, limits->keep_order);
    met_cost_solution solution = solution_of(arena, problem, &b);
    solution.proven = proven;
    solution.steps = search.steps;
    solution.least_memory = met_cost_least_memory(problem);
    return solution;
}

uint64_t met_cost_least_memory(const met_cost_problem *problem)
{
    met_cost_search search = { .problem = problem };
    met_cost_search_start(&search);
    return met_cost_memory(problem, search.tile);
}
