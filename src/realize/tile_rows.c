/* Rounds of work on rows: numbers of a row as scalars, the ends of folds, and running statistics with what is relative to
 * them. */
#include "realize/formula.h"
#include "realize/tile_text.h"

/* --- Names --- */

const char *met_tile_column(const met_tile *tile, uint32_t column)
{
    return column == tile->stream ? "s0 + c" : column == tile->block ? "c0 + c" : "c";
}

const char *met_tile_columns(const met_tile *tile, uint32_t column)
{
    return column == tile->stream ? "n" : column == tile->block ? "columns"
        : met_number_text(tile->arena, tile->nest->size[column]);
}

static const char *plus(const met_tile *tile, const char *a, const char *b)
{
    if (strcmp(a, "0") == 0)
        return b;
    return strcmp(b, "0") == 0 ? a : met_format_text(tile->arena, "%s + %s", a, b);
}

static const char *scaled(const met_tile *tile, met_number by, const char *counter)
{
    if (!by.name && (by.value == 0 || strcmp(counter, "0") == 0))
        return "0";
    if (!by.name && by.value == 1)
        return counter;
    bool sum = strchr(counter, ' ') != NULL;
    return met_format_text(tile->arena, sum ? "%s * (%s)" : "%s * %s", met_number_text(tile->arena, by), counter);
}

static const char *column_start(const met_tile *tile, uint32_t column)
{
    return column == tile->stream ? "s0" : column == tile->block ? "c0" : "0";
}

const char *met_tile_begin(const met_tile *tile, const met_line *line, met_loops without, uint32_t column)
{
    if (column == MET_NONE)
        return met_line_text(tile->nest, line, without);
    const char *rest = met_line_text(tile->nest, line, without | met_loop_bit(column));
    return plus(tile, rest, scaled(tile, line->by[column], column_start(tile, column)));
}

const char *met_tile_offset(const met_tile *tile, const met_line *offset, uint32_t column)
{
    if (column == MET_NONE)
        return met_line_text(tile->nest, offset, 0);
    const char *rest = met_line_text(tile->nest, offset, met_loop_bit(column));
    return plus(tile, rest, scaled(tile, offset->by[column], met_tile_column(tile, column)));
}

const char *met_tile_at(const met_tile *tile, uint32_t value)
{
    const met_tile_value *v = &tile->values[value];
    const char *row = tile->rooms.at[v->tile].part ? "(r - part)" : "r";
    return met_format_text(tile->arena, "t%u + %s * %s + c", v->tile, row, tile->width[v->column].name);
}

const char *met_tile_size(met_tile *tile, const met_dim *size)
{
    return met_argument(tile->w, met_nest_dim(tile->nest, size), "size").name;
}

const char *met_tile_monoid_unit(met_monoid monoid)
{
    static const char *const units[] = {
        [MET_MONOID_ADD] = "0.0f", [MET_MONOID_MUL] = "1.0f", [MET_MONOID_MAX] = "-INFINITY",
        [MET_MONOID_MIN] = "INFINITY", [MET_MONOID_OR] = "0.0f",
    };
    return units[monoid];
}

/* --- Numbers of a row --- */

static met_dtype dtype_of(const met_tile *tile, uint32_t value)
{
    return (met_dtype)tile->kernel->circuit->edges[tile->kernel->values[value].edge.id].format.dtype;
}

/* Whether the value is a statistic that this pass is still folding. */
static bool is_running(const met_tile_row *row, uint32_t value)
{
    uint32_t maker = row->tile->values[value].maker;
    return row->slices && maker != MET_NONE && met_tile_streams(row->tile, maker) &&
           row->tile->kernel->steps[maker].pass == row->pass;
}

const char *met_tile_scalar(met_tile_row *row, uint32_t value)
{
    met_tile *tile = row->tile;
    const char *name = met_format_text(tile->arena, "f%u", value);
    if (row->local[value])
        return name;
    const met_tile_value *v = &tile->values[value];
    if (v->maker == MET_NONE)
        met_put(tile->w, "const float %s = %s;", name, met_draft_load(tile->draft, &v->site,
                                                                      met_tile_offset(tile, &v->site.offset,
                                                                                      MET_NONE)));
    else if (is_running(row, value))
        met_put(tile->w, "const float %s = m%u[r] == -INFINITY ? 0.0f : m%u[r];", name, v->maker, v->maker);
    else
        met_put(tile->w, "const float %s = r%u[r];", name, value);
    row->local[value] = true;
    return name;
}

void met_tile_put_gate(met_tile_row *row, uint32_t gate)
{
    met_tile *tile = row->tile;
    if (gate == MET_NONE || row->gate == gate)
        return;
    row->gate = gate;
    if (gate == tile->stream_gate && row->slices) {
        row->lo = "live[r].lo";
        row->hi = "live[r].hi";
        return;
    }
    const met_tile_gate *g = &tile->gates.at[gate];
    row->lo = met_format_text(tile->arena, "lo%u", row->gate_count);
    row->hi = met_format_text(tile->arena, "hi%u", row->gate_count++);
    met_put(tile->w, "int64_t %s = 0, %s = %s;", row->lo, row->hi, g->loop == MET_NONE ? "1"
            : met_tile_columns(tile, g->loop));
    for (size_t k = 0; k < g->conditions.count; k++) {
        const met_line *line = &g->conditions.at[k].line;
        const char *step = g->loop == MET_NONE ? "0" : met_number_text(tile->arena, line->by[g->loop]);
        met_put(tile->w, "%s(&%s, &%s, %s, %s);", met_need(tile->w, MET_HELPER_CLIP), row->lo, row->hi,
                met_tile_begin(tile, line, 0, g->loop), step);
    }
}

typedef struct scalar_text {
    met_tile_row *row;
    const met_kernel_step *step;
} scalar_text;

static const char *input_leaf(void *context, uint32_t input)
{
    scalar_text *s = context;
    return met_tile_scalar(s->row, s->step->ins[input]);
}

static const char *index_leaf(void *context, uint32_t index)
{
    scalar_text *s = context;
    return met_format_text(s->row->tile->arena, "(float)%s", s->row->tile->nest->counter[s->step->loops[index]]);
}

static const char *size_leaf(void *context, const met_dim *size)
{
    scalar_text *s = context;
    return met_format_text(s->row->tile->arena, "(float)%s", met_tile_size(s->row->tile, size));
}

/* Declares the number, rounds, keeps and stores it. */
static void put_number(met_tile_row *row, uint32_t value, const char *number)
{
    met_tile *tile = row->tile;
    const met_tile_value *v = &tile->values[value];
    met_put(tile->w, "const float f%u = %s;", value, met_draft_round(tile->draft, dtype_of(tile, value), number));
    row->local[value] = true;
    if (v->kept)
        met_put(tile->w, "r%u[r] = f%u;", value, value);
    if (!v->stored)
        return;
    const char *name = met_format_text(tile->arena, "f%u", value);
    met_tile_put_gate(row, v->gate);
    if (v->gate != MET_NONE)
        name = met_format_text(tile->arena, "%s < %s ? %s : %s", row->lo, row->hi, name,
                               met_draft_unit(tile->draft, v->site.edge));
    met_draft_store(tile->draft, &v->site, met_tile_offset(tile, &v->site.offset, MET_NONE), name);
}

static void put_map(met_tile_row *row, uint32_t step)
{
    scalar_text s = { row, &row->tile->kernel->steps[step] };
    met_leaves leaves = { &s, input_leaf, index_leaf, size_leaf };
    put_number(row, s.step->outs[0], met_formula_text(row->tile->w, row->tile->steps[step].form.e, &leaves));
}

/* --- Folds --- */

static const char *fold_lanes(const met_tile *tile, met_monoid monoid, const char *lanes)
{
    static const char *const names[] = {
        [MET_MONOID_ADD] = "lane_fold_add", [MET_MONOID_MUL] = "lane_fold_mul", [MET_MONOID_MAX] = "lane_fold_max",
        [MET_MONOID_MIN] = "lane_fold_min", [MET_MONOID_OR] = "lane_fold_max",
    };
    return met_format_text(tile->arena, "%s(%s)", names[monoid], lanes);
}

void met_tile_begin_fold(met_tile_row *row, uint32_t step)
{
    met_tile *tile = row->tile;
    if (met_tile_streams(tile, step))
        met_put(tile->w, "lane sum%u = lane_load(z%u + r * LANES);", step, step);
    else
        met_put(tile->w, "lane sum%u = lane_set(%s);", step, met_tile_monoid_unit(tile->steps[step].form.monoid));
}

/* Multiplies an accumulator by what delta says: powers of two in one rounding. */
static const char *rebased(met_tile *tile, const met_kernel_accumulator *a, const char *lanes)
{
    return met_format_text(tile->arena, a->exact ? "lane_scale(%s, lane_set(move%u))"
                           : "lane_mul(%s, lane_set(move%u))", lanes, a->step);
}


static const char *delta_input(void *context, uint32_t input)
{
    (void)context;
    return input == 0 ? "was" : "now";
}

static void put_rebase(met_tile_row *row, const met_kernel_accumulator *a)
{
    met_tile *tile = row->tile;
    met_leaves leaves = { NULL, delta_input, NULL, NULL };
    const met_scalar *move = a->exact ? a->delta->arguments[1] : a->delta;
    met_put(tile->w, "const float move%u = %s;", a->step, met_formula_text(tile->w, move, &leaves));
    if (tile->steps[a->step].kind == MET_TILE_FOLD) {
        const char *lanes = met_format_text(tile->arena, "lane_load(z%u + r * LANES)", a->step);
        met_put(tile->w, "lane_store(z%u + r * LANES, %s);", a->step, rebased(tile, a, lanes));
        return;
    }
    const met_tile_value *v = &tile->values[a->value];
    met_put_open(tile->w, "for (int64_t c = 0; c < %s; c += LANES)", met_tile_columns(tile, v->column));
    const char *at = met_tile_at(tile, a->value);
    met_put(tile->w, "lane_store(%s, %s);", at, rebased(tile, a, met_format_text(tile->arena, "lane_load(%s)", at)));
    met_put_close(tile->w);
}

/* A running statistic moves: what is relative to it follows. While it is -inf nothing but zeros was added up, relative to
 * 0 as well as to anything. */
static void put_running(met_tile_row *row, uint32_t step)
{
    met_tile *tile = row->tile;
    const met_kernel *kernel = tile->kernel;
    uint32_t own = kernel->steps[step].accumulator;
    met_put(tile->w, "const float was%u = m%u[r], now%u = %s;", step, step, step,
            fold_lanes(tile, tile->steps[step].form.monoid, met_format_text(tile->arena, "sum%u", step)));
    met_put_open(tile->w, "if (!(now%u == was%u))", step, step);
    met_put(tile->w, "m%u[r] = now%u;", step, step);
    met_put_open(tile->w, "if (was%u != -INFINITY)", step);
    met_put(tile->w, "const float was = was%u, now = now%u;", step, step);
    for (uint32_t a = 0; a < kernel->accumulator_count; a++)
        if (kernel->accumulators[a].base == own)
            put_rebase(row, &kernel->accumulators[a]);
    met_put_close(tile->w);
    met_put_close(tile->w);
    uint32_t value = kernel->steps[step].outs[0];
    met_put(tile->w, "const float f%u = now%u == -INFINITY ? 0.0f : now%u;", value, step, step);
    row->local[value] = true;
}

void met_tile_end_fold(met_tile_row *row, uint32_t step, uint32_t gate)
{
    met_tile *tile = row->tile;
    const char *sum = met_format_text(tile->arena, "sum%u", step);
    if (met_tile_streams(tile, step)) {
        met_put(tile->w, "lane_store(z%u + r * LANES, %s);", step, sum);
        if (met_tile_is_running(tile, step))
            put_running(row, step);
        return;
    }
    const char *number = fold_lanes(tile, tile->steps[step].form.monoid, sum);
    if (gate != MET_NONE)
        number = met_format_text(tile->arena, "%s < %s ? %s : 0.0f", row->lo, row->hi, number);
    put_number(row, tile->kernel->steps[step].outs[0], number);
}

/* Whether any term of a fold over the stream takes part, after the stream; NULL: always. */
static const char *any_live(const met_tile *tile, uint32_t step)
{
    return tile->steps[step].gate == MET_NONE ? NULL : "whole[r].lo < whole[r].hi";
}

/* The condition under which all that a row folded was relative to -inf: the results are NaN. */
static const char *no_base(const met_tile *tile, uint32_t step)
{
    const met_kernel_accumulator *own = &tile->kernel->accumulators[tile->kernel->steps[step].accumulator];
    if (own->base == MET_NONE)
        return NULL;
    const char *any = any_live(tile, step);
    return met_format_text(tile->arena, "m%u[r] == -INFINITY%s%s", tile->kernel->accumulators[own->base].step, any
                           ? " && " : "",
                           any ? any : "");
}

static void put_fold_result(met_tile_row *row, uint32_t step)
{
    met_tile *tile = row->tile;
    const char *number = fold_lanes(tile, tile->steps[step].form.monoid,
                                    met_format_text(tile->arena, "lane_load(z%u + r * LANES)", step));
    const char *any = any_live(tile, step), *lost = no_base(tile, step);
    if (any)
        number = met_format_text(tile->arena, "%s ? %s : 0.0f", any, number);
    if (lost)
        number = met_format_text(tile->arena, "%s ? NAN : %s", lost, number);
    put_number(row, tile->kernel->steps[step].outs[0], number);
}

/* --- Loops over rows --- */

/* The counters of the row loops, from row0 + r. */
static void put_counters(met_tile *tile, const char *inside)
{
    const char *divisor = "";
    for (uint32_t l = tile->kernel->loop_count; l-- > 0;) {
        if (tile->role[l] != MET_ROLE_ROW || tile->gone[l])
            continue;
        bool first = true; /* no further row loop outside of it */
        for (uint32_t k = 0; k < l; k++)
            first = first && (tile->role[k] != MET_ROLE_ROW || tile->gone[k]);
        const char *size = met_number_text(tile->arena, tile->nest->size[l]);
        const char *row = *divisor || !first ? "(row0 + r)" : "row0 + r";
        if (met_mentions(inside, tile->nest->counter[l])) {
            if (first)
                met_put(tile->w, "const int64_t %s = %s%s;", tile->nest->counter[l], row, divisor);
            else
                met_put(tile->w, "const int64_t %s = %s%s %% %s;", tile->nest->counter[l], row, divisor, size);
        }
        divisor = met_format_text(tile->arena, "%s / %s", divisor, size);
    }
}

void met_tile_put_row_loop(met_tile *tile, const char *inside, bool part)
{
    met_put_open(tile->w, part ? "for (int64_t r = part; r < part_end; r++)" : "for (int64_t r = 0; r < rows; r++)");
    put_counters(tile, inside);
    met_text_put(&tile->w->body, inside);
    met_put_close(tile->w);
}

static void put_alone(met_tile_row *row, const met_tile_work *work)
{
    if (work->finish)
        put_fold_result(row, work->step);
    else
        put_map(row, work->step);
}

void met_tile_put_rows(met_tile *tile, const met_tile_round *round, uint32_t pass, bool slices)
{
    met_writer *w = tile->w;
    met_text saved = w->body;
    w->body = met_text_new(tile->arena);
    w->depth++;
    met_tile_row row = { .tile = tile, .depth = w->depth, .pass = pass, .slices = slices, .gate = MET_NONE };
    row.skips = slices && tile->clipped;
    row.local = MET_NEW_ARRAY(tile->arena, bool, tile->kernel->value_count);
    row.broadcast = MET_NEW_ARRAY(tile->arena, bool, tile->kernel->value_count);
    if (row.skips)
        met_put(w, "if (live[r].lo >= live[r].hi)\n%*scontinue;", 4 * (w->depth + 1), "");
    for (uint32_t k = 0; k < round->work.count;) {
        const met_tile_work *work = &round->work.at[k];
        uint32_t count = 1;
        while (k + count < round->work.count && work[count].nest == work->nest)
            count++;
        if (met_tile_work_column(tile, work) == MET_NONE && tile->steps[work->step].kind != MET_TILE_CONTRACT &&
            (work->finish || tile->steps[work->step].kind == MET_TILE_MAP))
            put_alone(&row, work);
        else
            met_tile_put_nest(&row, count, work);
        k += count;
    }
    w->depth--;
    const char *inside = met_text_done(&w->body);
    w->body = saved;
    met_tile_put_row_loop(tile, inside, slices);
}
