/* Several levels. Tiles nest, so levels are chosen together: from the innermost out, each choice being the least size of
 * the tiles outside it. Where the best choices of the single levels nest, they are the best together. */
#include "cost/search.h"

#include <string.h>

typedef struct nest {
    met_arena *arena;
    const met_cost_problem *problem;
    uint32_t level_count;
    const met_cost_level *levels;
    met_cost_nesting nesting;
    const met_cost_solution *alone; /* of each level by itself */
    met_cost_solution *present;     /* of the levels from `level` in, while searching */
    met_cost_solution *best;
    double best_cost;
    bool found;
    uint64_t steps;
    uint32_t level; /* whose tiles are being chosen */
} nest;

static double cost_of(const nest *n, const met_cost_solution *solutions, uint32_t first)
{
    double cost = 0;
    for (uint32_t l = first; l < n->level_count; l++)
        cost += n->levels[l].weight * (double)solutions[l].traffic;
    return cost;
}

static bool fits_in(const nest *n, const uint64_t *inner, const uint64_t *outer)
{
    const met_cost_problem *p = n->problem;
    for (uint32_t i = 0; i < p->order_count; i++) {
        uint64_t in = inner[p->order[i]], out = outer[p->order[i]];
        bool divides = out % in == 0 || out == p->loops[p->order[i]].size;
        if (in > out || (n->nesting.divide && !divides))
            return false;
    }
    return true;
}

/* <0 if a comes before b among choices of equal cost. */
static int compare_choices(const nest *n, const met_cost_solution *a, const met_cost_solution *b)
{
    for (uint32_t l = 0; l < n->level_count; l++)
        if (a[l].memory != b[l].memory)
            return a[l].memory < b[l].memory ? -1 : 1;
    for (uint32_t l = 0; l < n->level_count; l++)
        for (uint32_t k = 0; k < n->problem->loop_count; k++)
            if (a[l].tile[k] != b[l].tile[k])
                return a[l].tile[k] < b[l].tile[k] ? -1 : 1;
    return 0;
}

static void offer(nest *n, const met_cost_solution *choice)
{
    double cost = cost_of(n, choice, 0);
    if (n->found && (cost > n->best_cost || (cost == n->best_cost && compare_choices(n, choice, n->best) >= 0)))
        return;
    n->found = true;
    n->best_cost = cost;
    memcpy(n->best, choice, n->level_count * sizeof *choice);
}

/* What the tiles outside a choice are multiples of, if they must be. */
static const uint64_t *steps_outside(nest *n, const uint64_t *inner)
{
    const met_cost_problem *p = n->problem;
    if (!n->nesting.divide || !inner)
        return NULL;
    uint64_t *step = MET_NEW_ARRAY(n->arena, uint64_t, p->loop_count);
    for (uint32_t l = 0; l < p->loop_count; l++) /* less than the loop, a tile is a multiple of the granule */
        step[l] = inner[l] < p->loops[l].size ? inner[l] : p->loops[l].granule;
    return step;
}

static void choose_from(nest *n, const uint64_t *inner);

static met_cost_solution choice_of(nest *n, const met_cost_search *s, uint64_t traffic)
{
    const met_cost_problem *p = s->problem;
    met_cost_solution choice = n->alone[n->level];
    uint64_t *moved = MET_NEW_ARRAY(n->arena, uint64_t, p->array_count);
    for (uint32_t a = 0; a < p->array_count; a++)
        moved[a] = met_cost_array_traffic(p, &p->arrays[a], s->tile);
    choice.traffic = traffic;
    choice.memory = met_cost_memory(p, s->tile);
    choice.tile = met_arena_copy(n->arena, s->tile, p->loop_count, sizeof *s->tile);
    choice.moved = moved;
    return choice;
}

static void visit(met_cost_search *s, uint64_t traffic)
{
    nest *n = s->context;
    uint32_t level = n->level;
    n->present[level] = choice_of(n, s, traffic);
    n->level = level - 1;
    n->steps += 16; /* what copying costs */
    choose_from(n, n->present[level].tile);
    n->level = level;
}

/* The levels inside are chosen, those outside cannot do better than alone. */
static bool useless(met_cost_search *s, uint64_t traffic, uint64_t memory)
{
    const nest *n = s->context;
    (void)memory;
    double cost = n->levels[n->level].weight * (double)traffic + cost_of(n, n->present, n->level + 1);
    for (uint32_t l = 0; l < n->level; l++)
        cost += n->levels[l].weight * (double)n->alone[l].traffic;
    return n->found && cost > n->best_cost * (1 + 1e-12); /* sums in another order round differently */
}

/* Chooses tiles for n->level and those outside it. `inner`: the tiles inside, or NULL. */
static void choose_from(nest *n, const uint64_t *inner)
{
    met_cost_problem ordered = *n->problem;
    ordered.order = n->alone[n->level].order;
    const uint64_t *step = steps_outside(n, inner);
    if (n->level == 0) {
        met_cost_limits limits = { .minimum = inner, .step = step, .powers = n->nesting.powers, .keep_order = true };
        n->present[0] = met_cost_solve(n->arena, &ordered, n->levels[0].capacity, &limits);
        n->steps += n->present[0].steps;
        if (n->present[0].feasible)
            offer(n, n->present);
        return;
    }
    uint64_t left = n->steps < MET_COST_STEPS ? MET_COST_STEPS - n->steps : 0;
    met_cost_search search = { .problem = &ordered, .capacity = n->levels[n->level].capacity, .minimum = inner, .step = step,
                               .powers = n->nesting.powers, .every_tile = n->nesting.divide, .every_choice = true,
                               .step_limit = left, .visit = visit, .useless = useless, .context = n };
    met_cost_search_start(&search);
    met_cost_search_run(&search);
    n->steps += search.steps;
}

/* A first choice to beat: each level the best that the levels inside it leave. */
static void choose_greedily(nest *n)
{
    const uint64_t *inner = NULL;
    met_cost_problem ordered = *n->problem;
    for (uint32_t l = n->level_count; l-- > 0;) {
        met_cost_limits limits = { .minimum = inner, .step = steps_outside(n, inner), .powers = n->nesting.powers, .keep_order = true };
        ordered.order = n->alone[l].order;
        n->present[l] = met_cost_solve(n->arena, &ordered, n->levels[l].capacity, &limits);
        if (!n->present[l].feasible)
            return;
        inner = n->present[l].tile;
    }
    offer(n, n->present);
}

static bool several_orders(const met_cost_problem *p)
{
    return p->order_count > p->group_count + 1;
}

double met_cost_solve_levels(met_arena *arena, const met_cost_problem *problem, uint32_t level_count,
                             const met_cost_level *levels, met_cost_nesting nesting, met_cost_solution *ret_solutions)
{
    met_cost_limits limits = { .powers = nesting.powers, .keep_order = nesting.keep_order };
    nest n = { .arena = arena, .problem = problem, .level_count = level_count, .levels = levels, .nesting = nesting,
               .alone = ret_solutions, .present = MET_NEW_ARRAY(arena, met_cost_solution, level_count),
               .best = MET_NEW_ARRAY(arena, met_cost_solution, level_count) };
    bool feasible = true, nested = true, proven = true;
    for (uint32_t l = 0; l < level_count; l++) {
        ret_solutions[l] = met_cost_solve(arena, problem, levels[l].capacity, &limits);
        feasible = feasible && ret_solutions[l].feasible;
        proven = proven && ret_solutions[l].proven;
        nested = nested && feasible && (l == 0 || fits_in(&n, ret_solutions[l].tile, ret_solutions[l - 1].tile));
    }
    if (!feasible || nested) {
        for (uint32_t l = 0; l < level_count; l++)
            ret_solutions[l].feasible = feasible;
        return feasible ? cost_of(&n, ret_solutions, 0) : 0;
    }
    choose_greedily(&n);
    n.level = level_count - 1;
    choose_from(&n, NULL);
    for (uint32_t l = 0; l < level_count; l++) {
        uint64_t least_memory = ret_solutions[l].least_memory;
        ret_solutions[l] = n.best[l];
        ret_solutions[l].feasible = n.found;
        ret_solutions[l].proven = proven && n.steps < MET_COST_STEPS && (nesting.keep_order || !several_orders(problem));
        ret_solutions[l].least_memory = least_memory;
        ret_solutions[l].steps = n.steps;
    }
    return n.found ? n.best_cost : 0;
}
