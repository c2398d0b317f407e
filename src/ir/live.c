#include "ir/live.h"

/* A guard with its sizes put in: constant + sum of by[k]·i_k >= 0. */
typedef struct row_guard {
    int64_t constant;
    int64_t by[MET_RANK_LIMIT];
} row_guard;

/* Indices that guards tie together, counted on their own; counts of different groups multiply. */
typedef struct group {
    uint32_t index_count;
    uint32_t indices[MET_RANK_LIMIT]; /* the last one is the row */
    const uint64_t *sizes;
    uint32_t guard_count;
    row_guard *guards;
} group;

static bool add_product(int64_t *sum, int64_t a, int64_t b)
{
    int64_t product;
    return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(*sum, product, sum);
}

static bool read_guard(const met_affine *affine, uint32_t index_count, row_guard *ret_guard)
{
    *ret_guard = (row_guard){ .constant = affine->constant };
    for (uint32_t t = 0; t < affine->term_count; t++) {
        const met_affine_term *term = &affine->terms[t];
        uint64_t n;
        if (term->kind == MET_TERM_INDEX) {
            if (term->index >= index_count || __builtin_add_overflow(ret_guard->by[term->index], term->coefficient, &ret_guard->by[term->index]))
                return false;
        } else if (!met_dim_is_constant(term->size, &n) || n > INT64_MAX ||
                   !add_product(&ret_guard->constant, term->coefficient, (int64_t)n)) {
            return false;
        }
    }
    return true;
}

/* Nothing that is computed on the way may leave 64 bits: the sum of all magnitudes bounds it. */
static bool stays_small(const row_guard *guard, uint32_t index_count, const uint64_t *sizes)
{
    int64_t most = guard->constant;
    if (most == INT64_MIN)
        return false;
    most = most < 0 ? -most : most;
    for (uint32_t k = 0; k < index_count; k++) {
        int64_t by = guard->by[k];
        if (by == 0)
            continue;
        if (by == INT64_MIN || sizes[k] > INT64_MAX || !add_product(&most, by < 0 ? -by : by, (int64_t)sizes[k]))
            return false;
    }
    return true;
}

static uint32_t find(uint32_t *parents, uint32_t k)
{
    while (parents[k] != k)
        k = parents[k] = parents[parents[k]];
    return k;
}

/* Which indices are tied: the first index of each one's group. */
static void tie(uint32_t index_count, uint32_t guard_count, const row_guard *guards, uint32_t *parents)
{
    for (uint32_t k = 0; k < index_count; k++)
        parents[k] = k;
    for (uint32_t g = 0; g < guard_count; g++) {
        uint32_t first = MET_NONE;
        for (uint32_t k = 0; k < index_count; k++) {
            if (guards[g].by[k] == 0)
                continue;
            if (first == MET_NONE)
                first = find(parents, k);
            parents[find(parents, k)] = first;
        }
    }
}

static int64_t floor_div(int64_t a, int64_t b) /* b > 0 */
{
    return a / b - (a % b < 0);
}

/* How many values of the row's index satisfy constant + by·i >= 0 for every guard, given what the others contribute. */
static uint64_t count_row(const group *g, const int64_t *sums)
{
    uint32_t row = g->indices[g->index_count - 1];
    int64_t low = 0, high = (int64_t)g->sizes[row] - 1;
    for (uint32_t i = 0; i < g->guard_count; i++) {
        int64_t by = g->guards[i].by[row], rest = sums[i];
        if (by == 0 && rest < 0)
            return 0;
        if (by > 0) {
            int64_t least = -floor_div(rest, by); /* i >= -rest/by */
            low = least > low ? least : low;
        } else if (by < 0) {
            int64_t most = floor_div(rest, -by);
            high = most < high ? most : high;
        }
    }
    return high < low ? 0 : (uint64_t)(high - low) + 1;
}

/* Steps the outer indices like an odometer; sums follow. False at the end. */
static bool next_row(const group *g, uint64_t *at, int64_t *sums)
{
    for (uint32_t k = g->index_count - 1; k-- > 0;) {
        uint32_t index = g->indices[k];
        bool wraps = at[k] + 1 == g->sizes[index];
        int64_t by = wraps ? -(int64_t)at[k] : 1;
        for (uint32_t i = 0; i < g->guard_count; i++)
            sums[i] += by * g->guards[i].by[index];
        at[k] = wraps ? 0 : at[k] + 1;
        if (!wraps)
            return true;
    }
    return false;
}

static bool count_group(met_arena *scratch, group *g, uint64_t *ret_live)
{
    uint32_t longest = 0;
    uint64_t rows = 1, live = 0, at[MET_RANK_LIMIT] = { 0 };
    for (uint32_t k = 1; k < g->index_count; k++)
        if (g->sizes[g->indices[k]] > g->sizes[g->indices[longest]])
            longest = k;
    uint32_t last = g->indices[g->index_count - 1];
    g->indices[g->index_count - 1] = g->indices[longest];
    g->indices[longest] = last;
    for (uint32_t k = 0; k + 1 < g->index_count; k++)
        if (__builtin_mul_overflow(rows, g->sizes[g->indices[k]], &rows) || rows > MET_LIVE_ROWS)
            return false;
    int64_t *sums = MET_NEW_ARRAY(scratch, int64_t, g->guard_count);
    for (uint32_t i = 0; i < g->guard_count; i++)
        sums[i] = g->guards[i].constant;
    do {
        if (__builtin_add_overflow(live, count_row(g, sums), &live))
            return false;
    } while (next_row(g, at, sums));
    *ret_live = live;
    return true;
}

/* The group that index `first` begins; guards without indices belong to every group. */
static void make_group(met_arena *scratch, uint32_t first, uint32_t index_count, const uint64_t *sizes, uint32_t guard_count,
                       const row_guard *guards, uint32_t *parents, group *ret_group)
{
    *ret_group = (group){ .sizes = sizes, .guards = MET_NEW_ARRAY(scratch, row_guard, guard_count) };
    for (uint32_t k = first; k < index_count; k++)
        if (find(parents, k) == find(parents, first))
            ret_group->indices[ret_group->index_count++] = k;
    for (uint32_t g = 0; g < guard_count; g++) {
        bool here = false;
        for (uint32_t i = 0; i < ret_group->index_count; i++)
            here = here || guards[g].by[ret_group->indices[i]] != 0;
        if (here)
            ret_group->guards[ret_group->guard_count++] = guards[g];
    }
}

static bool count_all(met_arena *scratch, uint32_t index_count, const uint64_t *sizes, uint32_t guard_count,
                      const row_guard *guards, uint64_t *ret_live)
{
    uint32_t parents[MET_RANK_LIMIT];
    bool done[MET_RANK_LIMIT] = { false }, empty = false, fits = true;
    for (uint32_t k = 0; k < index_count; k++)
        empty = empty || sizes[k] == 0;
    for (uint32_t g = 0; g < guard_count; g++) {
        bool reads = false;
        for (uint32_t k = 0; k < index_count; k++)
            reads = reads || guards[g].by[k] != 0;
        empty = empty || (!reads && guards[g].constant < 0);
    }
    *ret_live = empty ? 0 : 1;
    tie(index_count, guard_count, guards, parents);
    for (uint32_t k = 0; k < index_count && !empty; k++) {
        group g;
        uint64_t live;
        if (done[k])
            continue;
        make_group(scratch, k, index_count, sizes, guard_count, guards, parents, &g);
        for (uint32_t i = 0; i < g.index_count; i++)
            done[g.indices[i]] = true;
        if (g.guard_count == 0)
            live = sizes[k];
        else if (!count_group(scratch, &g, &live))
            return false;
        empty = live == 0; /* whatever the other groups are, and did not fit */
        fits = fits && !__builtin_mul_overflow(*ret_live, live, ret_live);
    }
    if (empty)
        *ret_live = 0;
    return empty || fits;
}

bool met_live_count(uint32_t index_count, const uint64_t *sizes, uint32_t guard_count, const met_affine *guards,
                    uint64_t *ret_live)
{
    if (index_count > MET_RANK_LIMIT)
        return false;
    met_arena *scratch = met_arena_new();
    row_guard *rows = MET_NEW_ARRAY(scratch, row_guard, guard_count);
    bool good = true;
    for (uint32_t g = 0; g < guard_count && good; g++)
        good = read_guard(&guards[g], index_count, &rows[g]) && stays_small(&rows[g], index_count, sizes);
    good = good && count_all(scratch, index_count, sizes, guard_count, rows, ret_live);
    met_arena_free(scratch);
    return good;
}

bool met_edge_live(const met_circuit *circuit, const met_edge *edge, uint64_t *ret_live)
{
    uint64_t sizes[MET_RANK_LIMIT];
    met_affine guards[64];
    if (edge->guard_count > 64 || edge->rank > MET_RANK_LIMIT)
        return false;
    for (uint32_t p = 0; p < edge->rank; p++)
        if (!met_circuit_size(circuit, edge->axes[p], &sizes[p]))
            return false;
    for (uint32_t g = 0; g < edge->guard_count; g++) {
        if (edge->guards[g].value.id != MET_NONE)
            return false;
        guards[g] = edge->guards[g].expression;
    }
    return met_live_count(edge->rank, sizes, edge->guard_count, guards, ret_live);
}
