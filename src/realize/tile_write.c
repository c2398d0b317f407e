/* The function of a tile program: units, what is done once in each, passes and slices. */
#include "realize/tile_text.h"

bool met_tile_is_running(const met_tile *tile, uint32_t step)
{
    const met_kernel *kernel = tile->kernel;
    const met_kernel_step *own = &kernel->steps[step];
    for (uint32_t a = 0; a < kernel->accumulator_count; a++)
        if (kernel->accumulators[a].base == own->accumulator)
            return true;
    for (uint32_t s = 0; s < kernel->step_count; s++) {
        const met_kernel_step *reader = &kernel->steps[s];
        bool here = (reader->phase == MET_STEP_BODY || reader->phase == MET_STEP_FOLD) && reader->pass <= own->pass;
        for (uint32_t k = 0; here && k < kernel->circuit->nodes[reader->node.id].in_count; k++)
            if (reader->ins[k] == own->outs[0])
                return true;
    }
    return false;
}

static void put_least(met_tile *tile, const char *name, const char *size, const char *from, const char *tile_size)
{
    met_put(tile->w, "const int64_t %s = %s - %s < %s ? %s - %s : %s;", name, size, from, tile_size, size, from,
            tile_size);
}

static void put_unit_counters(met_tile *tile)
{
    met_writer *w = tile->w;
    met_number n_rows = met_argument(w, tile->row_count, "row_count"), rows = met_argument(w, tile->rows, "row_tile");
    met_put(w, "int64_t rest = unit;");
    if (tile->block != MET_NONE) {
        const char *size = met_number_text(tile->arena, tile->nest->size[tile->block]);
        met_number columns = met_argument(w, tile->columns, "column_tile");
        met_put(w, "const int64_t column_blocks = (%s + %s - 1) / %s;", size, columns.name, columns.name);
        met_put(w, "const int64_t c0 = rest %% column_blocks * %s;", columns.name);
        met_put(w, "rest /= column_blocks;");
        put_least(tile, "columns", size, "c0", columns.name);
    }
    met_put(w, "const int64_t row_blocks = (%s + %s - 1) / %s;", n_rows.name, rows.name, rows.name);
    met_put(w, "const int64_t row0 = rest %% row_blocks * %s;", rows.name);
    put_least(tile, "rows", n_rows.name, "row0", rows.name);
    const char *before = "row_blocks";
    for (uint32_t l = tile->kernel->loop_count; l-- > 0;) {
        if (tile->role[l] != MET_ROLE_OUTER || tile->gone[l])
            continue;
        const char *size = met_number_text(tile->arena, tile->nest->size[l]);
        met_put(w, "rest /= %s;", before);
        met_put(w, "const int64_t %s = rest %% %s;", tile->nest->counter[l], size);
        before = size;
    }
}

/* --- Live positions --- */

/* By row, the part of the stream that takes part: `whole`; and from where to where any row does. */
static void put_whole(met_tile *tile)
{
    met_writer *w = tile->w;
    const met_tile_gate *gate = &tile->gates.at[tile->stream_gate];
    const char *size = met_number_text(tile->arena, tile->nest->size[tile->stream]);
    met_put(w, "int64_t from = %s, to = 0;", size);
    met_text saved = w->body;
    w->body = met_text_new(tile->arena);
    w->depth++;
    met_put(w, "int64_t lo = 0, hi = %s;", size);
    for (size_t k = 0; k < gate->conditions.count; k++) {
        const met_line *line = &gate->conditions.at[k].line;
        met_put(w, "%s(&lo, &hi, %s, %s);", met_need(w, MET_HELPER_CLIP),
                met_line_text(tile->nest, line, met_loop_bit(tile->stream)),
                    met_number_text(tile->arena, line->by[tile->stream]));
    }
    met_put(w, "whole[r] = (tile_range){ lo, hi };");
    met_put(w, "from = lo < hi && lo < from ? lo : from;");
    met_put(w, "to = lo < hi && hi > to ? hi : to;");
    w->depth--;
    const char *inside = met_text_done(&w->body);
    w->body = saved;
    met_tile_put_row_loop(tile, inside, false);
}

/* The same within a slice, from its beginning. */
static void put_live(met_tile *tile)
{
    met_put_open(tile->w, "for (int64_t r = 0; r < rows; r++)");
    met_put(tile->w, "live[r].lo = tile_most(whole[r].lo - s0, 0);");
    met_put(tile->w, "live[r].hi = tile_most(tile_least(whole[r].hi - s0, n), live[r].lo);");
    met_put_close(tile->w);
}

/* --- Passes --- */

static void put_fill(met_tile *tile, const char *array, const char *floats, const char *unit)
{
    met_put_open(tile->w, "for (int64_t i = 0; i < %s; i += LANES)", floats);
    met_put(tile->w, "lane_store(%s + i, lane_set(%s));", array, unit);
    met_put_close(tile->w);
}

/* What the folds of a pass begin with. */
static void put_beginnings(met_tile *tile, uint32_t pass)
{
    for (uint32_t s = 0; s < tile->kernel->step_count; s++) {
        const met_tile_step *step = &tile->steps[s];
        if (!met_tile_streams(tile, s) || tile->kernel->steps[s].pass != pass)
            continue;
        const met_tile_value *out = &tile->values[tile->kernel->steps[s].outs[0]];
        if (step->kind == MET_TILE_FOLD)
            put_fill(tile, met_format_text(tile->arena, "z%u", s), "rows * LANES",
                     met_tile_monoid_unit(step->form.monoid));
        else if (step->gate != MET_NONE)
            put_fill(tile, met_format_text(tile->arena, "t%u", out->tile),
                     met_format_text(tile->arena, "rows * %s", tile->width[out->column].name), "0.0f");
        if (step->kind != MET_TILE_FOLD || !met_tile_is_running(tile, s))
            continue;
        met_put_open(tile->w, "for (int64_t r = 0; r < rows; r++)");
        met_put(tile->w, "m%u[r] = -INFINITY;", s);
        met_put_close(tile->w);
    }
}

static void put_list(met_tile *tile, const met_tile_list *list, uint32_t pass, bool slices)
{
    for (uint32_t k = 0; k < list->rounds.count; k++) {
        if (list->rounds.at[k].contract != MET_NONE)
            met_tile_put_contraction(tile, list->rounds.at[k].contract, slices);
        else
            met_tile_put_rows(tile, &list->rounds.at[k], pass, slices);
    }
}

/* Rows that folded nothing but terms relative to -inf: what they left in a contraction becomes NaN, as it would be had the
 * base been known. */
static void put_lost(met_tile *tile, uint32_t pass)
{
    const met_kernel *kernel = tile->kernel;
    for (uint32_t a = 0; a < kernel->accumulator_count; a++) {
        const met_kernel_accumulator *accumulator = &kernel->accumulators[a];
        uint32_t s = accumulator->step;
        if (accumulator->base == MET_NONE || kernel->steps[s].pass != pass || tile->steps[s].kind != MET_TILE_CONTRACT)
            continue;
        const char *live = tile->steps[s].gate != MET_NONE ? " && whole[r].lo < whole[r].hi" : "";
        met_put_open(tile->w, "for (int64_t r = 0; r < rows; r++)");
        met_put_open(tile->w, "for (int64_t c = 0; m%u[r] == -INFINITY%s && c < %s; c += LANES)",
                     kernel->accumulators[accumulator->base].step, live, met_tile_columns(tile, tile->steps[s].lanes));
        met_put(tile->w, "lane_store(%s, lane_set(NAN));", met_tile_at(tile, accumulator->value));
        met_put_close(tile->w);
        met_put_close(tile->w);
    }
}

static void put_pass(met_tile *tile, uint32_t pass)
{
    met_writer *w = tile->w;
    const char *size = met_number_text(tile->arena, tile->nest->size[tile->stream]);
    const char *slice = met_argument(w, tile->slice, "slice").name;
    met_argument(w, tile->part, "part_rows");
    put_beginnings(tile, pass);
    if (tile->clipped)
        met_put_open(w, "for (int64_t s0 = from / %s * %s; s0 < to; s0 += %s)", slice, slice, slice);
    else
        met_put_open(w, "for (int64_t s0 = 0; s0 < %s; s0 += %s)", size, slice);
    put_least(tile, "n", size, "s0", slice);
    if (tile->stream_gate != MET_NONE)
        put_live(tile);
    for (uint32_t k = 0; k < tile->body[pass].rounds.count; k++)
        if (tile->body[pass].rounds.at[k].contract != MET_NONE)
            met_tile_put_moving(tile, tile->body[pass].rounds.at[k].contract);
    met_put_open(w, "for (int64_t part = 0; part < rows; part += part_rows)");
    met_put(w, "const int64_t part_end = part + part_rows < rows ? part + part_rows : rows;");
    put_list(tile, &tile->body[pass], pass, true);
    met_put_close(w);
    met_put_close(w);
    put_lost(tile, pass);
    put_list(tile, &tile->tail[pass], pass, false);
}

/* --- The whole --- */

static void put_buffers(met_tile *tile)
{
    met_text out = met_text_new(tile->arena);
    for (uint32_t b = 0; b < tile->buffers.count; b++) {
        const met_tile_buffer *buffer = &tile->buffers.at[b];
        bool floats = strcmp(buffer->type, "float") == 0;
        const char *cast = floats ? "" : met_format_text(tile->arena, "(%s *)(void *)", buffer->type);
        met_text_format(&out, "    %s *const %s = %s((float *)call->scratch + %s);\n", buffer->type, buffer->name, cast,
                        buffer->offset.name);
    }
    met_text_put(&out, met_text_done(&tile->w->body));
    tile->w->body = out;
}

/* How this file has a step fold: a contraction steps through k in order, and slices come in order too; any other fold has
 * the lanes of a vector, which stand at the same places in every slice, in order, and adds them by halves at the end. */
static met_tree tree_of(const met_tile *tile, uint32_t step)
{
    bool contracts = tile->steps[step].kind == MET_TILE_CONTRACT;
    met_tree tree = contracts ? met_tree_sequential(MET_F32) : met_tree_lanes(MET_F32, MET_LANES);
    if (tile->steps[step].dot)
        tree.node = MET_NODE_PAIRS;
    if (!met_tile_streams(tile, step))
        return tree;
    const met_kernel_accumulator *accumulator = &tile->kernel->accumulators[tile->kernel->steps[step].accumulator];
    if (accumulator->base != MET_NONE && accumulator->exact)
        tree.rescale = MET_RESCALE_POW2;
    if (accumulator->base != MET_NONE && !accumulator->exact) {
        tree.rescale = MET_RESCALE_FLOAT;
        tree.slice = (uint64_t)tile->slice;
    }
    return tree;
}

static void add_records(met_tile *tile)
{
    for (uint32_t s = 0; s < tile->kernel->step_count; s++)
        if (tile->steps[s].kind != MET_TILE_MAP)
            MET_PUSH(tile->arena, &tile->draft->records, ((met_record){ tile->kernel->steps[s].node,
                                                                       tree_of(tile, s) }));
}

void met_tile_write(met_tile *tile)
{
    met_writer *w = tile->w;
    w->lanes = true;
    w->tiles = tile->stream_gate != MET_NONE;
    for (uint32_t s = 0; s < tile->kernel->step_count; s++) {
        w->tiles = w->tiles || tile->steps[s].kind == MET_TILE_CONTRACT;
        w->pairs = w->pairs || tile->steps[s].words;
    }
    met_put_open(w, "for (int64_t unit = begin; unit < end; unit++)");
    put_unit_counters(tile);
    if (tile->stream_gate != MET_NONE)
        put_whole(tile);
    met_tile_put_operands(tile);
    put_list(tile, &tile->head, MET_NONE, false);
    for (uint32_t p = 0; p < tile->pass_count; p++)
        put_pass(tile, p);
    met_put_close(w);
    put_buffers(tile);
    add_records(tile);
}
