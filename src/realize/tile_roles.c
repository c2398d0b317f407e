/* What each loop of a kernel is: outer, rows or columns; and which loops are one. Rows are what the row operand of a
 * contraction has alone, columns what the lane operand has alone, outer loops what both have. */
#include "realize/tile.h"

typedef struct roles {
    met_loops outer, rows, columns;
} roles;

static bool is_parameter(const met_tile *tile, uint32_t value)
{
    return tile->kernel->circuit->edges[tile->kernel->values[value].edge.id].role == MET_EDGE_PARAMETER;
}

static uint32_t last_loop(const met_kernel_value *value, uint32_t rank)
{
    for (uint32_t p = rank; p-- > 0;)
        for (uint32_t t = 0; t < value->at[p].term_count; t++)
            if (value->at[p].terms[t].kind == MET_TERM_INDEX)
                return value->at[p].terms[t].index;
    return MET_NONE;
}

/* Which operand has its loops on lanes: it comes from memory and has a loop of its own in the result. */
static uint32_t choose_lanes(const met_tile *tile, uint32_t s)
{
    const met_kernel_step *step = &tile->kernel->steps[s];
    const met_kernel_value *out = &tile->kernel->values[step->outs[0]];
    uint32_t rank = tile->kernel->circuit->edges[out->edge.id].rank, last = last_loop(out, rank), best = MET_NONE;
    int best_score = -1;
    for (uint32_t k = 0; k < 2; k++) {
        const met_kernel_value *in = &tile->kernel->values[step->ins[k]];
        met_loops own = in->loops & out->loops & ~tile->kernel->values[step->ins[1 - k]].loops;
        if (!in->is_input || own == 0)
            continue;
        bool streams = tile->kernel->stream != MET_NONE && (own & met_loop_bit(tile->kernel->stream));
        int score = (streams ? 4 : 0) + (is_parameter(tile, step->ins[k]) ? 2 : 0) +
                    (last != MET_NONE && (own & met_loop_bit(last)) ? 1 : 0);
        if (score > best_score) {
            best_score = score;
            best = k;
        }
    }
    return best;
}

static bool contraction_roles(met_tile *tile, uint32_t s, roles *r)
{
    const met_kernel_step *step = &tile->kernel->steps[s];
    uint32_t lanes = choose_lanes(tile, s);
    if (lanes == MET_NONE)
        return met_tile_refuse(tile, "no operand of a contraction can be on lanes");
    tile->steps[s].lane_operand = lanes;
    tile->steps[s].row_operand = 1 - lanes;
    met_loops a = tile->kernel->values[step->ins[1 - lanes]].loops, b = tile->kernel->values[step->ins[lanes]].loops;
    if (step->reduced & ~(a & b))
        return met_tile_refuse(tile, "a contraction sums a loop that only one of its operands has");
    r->outer |= a & b & ~step->reduced;
    r->rows |= a & ~b;
    r->columns |= b & ~a;
    return true;
}

/* Loops of the first stored value, for kernels of maps alone: the last one is the columns. */
static met_loops map_rows(const met_tile *tile)
{
    for (uint32_t v = 0; v < tile->kernel->value_count; v++) {
        const met_kernel_value *value = &tile->kernel->values[v];
        if (!value->is_output)
            continue;
        uint32_t last = last_loop(value, tile->kernel->circuit->edges[value->edge.id].rank);
        return last == MET_NONE ? 0 : value->loops & ~met_loop_bit(last);
    }
    return 0;
}

static bool choose_roles(met_tile *tile, roles *r)
{
    const met_kernel *kernel = tile->kernel;
    met_loops reduced = 0, kept = 0;
    bool folds = false;
    for (uint32_t s = 0; s < kernel->step_count; s++) {
        if (tile->steps[s].kind == MET_TILE_MAP)
            continue;
        folds = true;
        reduced |= kernel->steps[s].reduced;
        if (tile->steps[s].kind == MET_TILE_CONTRACT) {
            if (!contraction_roles(tile, s, r))
                return false;
        } else {
            kept |= kernel->values[met_tile_output(tile, s)].loops;
        }
    }
    if (kernel->stream != MET_NONE)
        reduced |= met_loop_bit(kernel->stream);
    r->rows |= folds ? kept : map_rows(tile);
    r->rows &= ~r->outer;
    if ((r->columns & (r->rows | r->outer)) || (reduced & (r->rows | r->outer)))
        return met_tile_refuse(tile, "a loop is rows for one step and columns for another");
    r->columns = ~(r->rows | r->outer);
    return true;
}

/* --- Loops that are one --- */

/* Both or neither, in every value and every fold. */
static bool go_together(const met_tile *tile, uint32_t a, uint32_t b)
{
    met_loops both = met_loop_bit(a) | met_loop_bit(b);
    for (uint32_t v = 0; v < tile->kernel->value_count; v++) {
        met_loops own = tile->kernel->values[v].loops & both;
        if (own != 0 && own != both)
            return false;
    }
    for (uint32_t s = 0; s < tile->kernel->step_count; s++) {
        met_loops own = tile->kernel->steps[s].reduced & both;
        if (own != 0 && own != both)
            return false;
    }
    return true;
}

static bool reads_index(const met_scalar *e, uint32_t index)
{
    bool reads = e->kind == MET_SCALAR_INDEX && e->index == index;
    for (int k = 0; e->kind == MET_SCALAR_CALL && k < met_scalar_fn_table[e->fn].arity; k++)
        reads = reads || reads_index(e->arguments[k], index);
    return reads;
}

/* Whether a formula reads the loop's counter. */
static bool is_counted(const met_tile *tile, uint32_t loop)
{
    for (uint32_t s = 0; s < tile->kernel->step_count; s++) {
        const met_node *node = met_tile_node(tile, s);
        for (uint32_t i = 0; i < node->index_count; i++)
            if (tile->kernel->steps[s].loops[i] == loop && reads_index(tile->steps[s].form.e, i))
                return true;
    }
    return false;
}

static bool collapse(met_tile *tile, uint32_t outer, uint32_t inner)
{
    if (is_counted(tile, outer) || is_counted(tile, inner) || !go_together(tile, outer, inner) ||
        !met_nest_collapse(tile->nest, outer, inner))
        return false;
    tile->gone[outer] = true;
    if (tile->stream == outer)
        tile->stream = inner;
    return true;
}

/* A column loop that cannot be one with the next becomes an outer one. */
static bool to_outer(met_tile *tile, uint32_t loop, roles *r)
{
    if (tile->kernel->loops[loop].partition != MET_PARTITION_GROUP)
        return met_tile_refuse(tile, "two loops of an array do not make one row of columns");
    r->columns &= ~met_loop_bit(loop);
    r->outer |= met_loop_bit(loop);
    return true;
}

/* Collapses the column loops of one order into the last. */
static bool collapse_columns(met_tile *tile, uint32_t count, const uint32_t *order, roles *r)
{
    uint32_t last = MET_NONE;
    for (uint32_t k = count; k-- > 0;) {
        uint32_t l = order[k];
        if (tile->gone[l] || !(r->columns & met_loop_bit(l)))
            continue;
        if (last == MET_NONE)
            last = l;
        else if (last != l && !collapse(tile, l, last) && !to_outer(tile, l, r))
            return false;
    }
    return true;
}

static bool collapse_all_columns(met_tile *tile, roles *r)
{
    const met_kernel *kernel = tile->kernel;
    uint32_t order[64 * 2];
    for (uint32_t s = 0; s < kernel->step_count; s++) { /* folds in the order that they fold in */
        uint32_t count = 0;
        const met_node *node = met_tile_node(tile, s);
        for (uint32_t i = 0; i < node->index_count; i++)
            if (kernel->steps[s].loops[i] != MET_NONE &&
                (kernel->steps[s].reduced & met_loop_bit(kernel->steps[s].loops[i])))
                order[count++] = kernel->steps[s].loops[i];
        if (!collapse_columns(tile, count, order, r))
            return false;
    }
    for (uint32_t v = 0; v < kernel->value_count; v++) { /* values in the order of their positions */
        const met_kernel_value *value = &kernel->values[v];
        const met_edge *edge = &kernel->circuit->edges[value->edge.id];
        uint32_t count = 0;
        met_loops left = value->loops;
        for (uint32_t s = 0; s < kernel->step_count; s++) /* folded loops are one already */
            if (tile->steps[s].kind == MET_TILE_CONTRACT && kernel->steps[s].ins[tile->steps[s].lane_operand] == v)
                left &= ~kernel->steps[s].reduced;
        for (uint32_t p = 0; p < edge->rank; p++)
            for (uint32_t t = 0; t < value->at[p].term_count; t++) {
                const met_affine_term *term = &value->at[p].terms[t];
                if (term->kind != MET_TERM_INDEX || !(left & met_loop_bit(term->index)))
                    continue;
                left &= ~met_loop_bit(term->index);
                order[count++] = term->index;
            }
        if (!collapse_columns(tile, count, order, r))
            return false;
    }
    return true;
}

static void collapse_rows(met_tile *tile, const roles *r)
{
    uint32_t last = MET_NONE;
    for (uint32_t l = tile->kernel->loop_count; l-- > 0;) {
        if (!(r->rows & met_loop_bit(l)))
            continue;
        if (last == MET_NONE || !collapse(tile, l, last))
            last = l;
    }
}

/* Maps alone: as many loops as can be are columns. */
static void grow_columns(met_tile *tile, roles *r)
{
    for (uint32_t v = 0; v < tile->kernel->value_count; v++) {
        const met_kernel_value *value = &tile->kernel->values[v];
        if (!value->is_output)
            continue;
        uint32_t rank = tile->kernel->circuit->edges[value->edge.id].rank, last = last_loop(value, rank);
        for (uint32_t p = rank; p-- > 0 && last != MET_NONE;) {
            bool plain = value->at[p].term_count == 1 && value->at[p].terms[0].kind == MET_TERM_INDEX;
            uint32_t l = plain ? value->at[p].terms[0].index : MET_NONE;
            if (l == MET_NONE || (l != last && !collapse(tile, l, last)))
                return;
            if (l != last)
                r->rows &= ~met_loop_bit(l);
        }
        return;
    }
}

bool met_tile_roles(met_tile *tile)
{
    const met_kernel *kernel = tile->kernel;
    roles r = { 0, 0, 0 };
    bool folds = false;
    for (uint32_t s = 0; s < kernel->step_count; s++)
        folds = folds || tile->steps[s].kind != MET_TILE_MAP;
    if (!choose_roles(tile, &r))
        return false;
    if (!folds)
        grow_columns(tile, &r);
    if (!collapse_all_columns(tile, &r))
        return false;
    collapse_rows(tile, &r);
    for (uint32_t l = 0; l < kernel->loop_count; l++)
        tile->role[l] = r.outer & met_loop_bit(l) ? MET_ROLE_OUTER : r.rows & met_loop_bit(l) ? MET_ROLE_ROW
            : MET_ROLE_COLUMN;
    return true;
}
