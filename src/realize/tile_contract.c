/* Contractions: where their operands are, and the calls of the register tiles (kernels/classes/tile.h). Rows of the one
 * operand are a tile of this kernel, an array in memory, or a copy of it; the lane operand is used where it lies, copied
 * into panels, or, if it is a parameter, packed once before any run. */
#include "realize/contraction.h"
#include "realize/tile_text.h"

static uint32_t rows_value(const met_tile *tile, uint32_t step)
{
    return tile->kernel->steps[step].ins[tile->steps[step].row_operand];
}

static uint32_t lanes_value(const met_tile *tile, uint32_t step)
{
    return tile->kernel->steps[step].ins[tile->steps[step].lane_operand];
}

/* The one row loop; MET_NONE if there is none, or several. */
static uint32_t row_loop(const met_tile *tile, bool *ret_many)
{
    uint32_t loop = MET_NONE;
    *ret_many = false;
    for (uint32_t l = 0; l < tile->kernel->loop_count; l++) {
        if (tile->role[l] != MET_ROLE_ROW || tile->gone[l])
            continue;
        *ret_many = loop != MET_NONE;
        loop = l;
    }
    return loop;
}

static bool is_one(met_number number)
{
    return !number.name && number.value == 1;
}

/* --- Choices --- */

static met_tile_from rows_from(const met_tile *tile, uint32_t step)
{
    const met_tile_value *v = &tile->values[rows_value(tile, step)];
    bool many;
    row_loop(tile, &many);
    if (tile->steps[step].dot)
        return MET_FROM_COPY;
    if (v->maker != MET_NONE)
        return MET_FROM_TILE;
    bool lies = v->site.dtype == MET_F32 && is_one(v->site.offset.by[tile->steps[step].column]);
    return lies && !many ? MET_FROM_MEMORY : MET_FROM_COPY;
}

bool met_tile_copies_rows(const met_tile *tile)
{
    for (uint32_t s = 0; s < tile->kernel->step_count; s++)
        if (tile->steps[s].kind == MET_TILE_CONTRACT && tile->steps[s].column == tile->stream &&
            rows_from(tile, s) == MET_FROM_COPY)
            return true;
    return false;
}

/* Copies pay if they are read by more than a few rows. */
enum { ROWS_TO_COPY = 16 };

static met_tile_from lanes_from(const met_tile *tile, uint32_t step)
{
    uint32_t value = lanes_value(tile, step), lanes = tile->steps[step].lanes;
    const met_site *site = &tile->values[value].site;
    const met_edge *edge = &tile->kernel->circuit->edges[tile->kernel->values[value].edge.id];
    if (edge->role == MET_EDGE_PARAMETER)
        return MET_FROM_PANELS;
    if (tile->steps[step].dot)
        return MET_FROM_COPY;
    bool lies = site->dtype == MET_F32 && is_one(site->offset.by[lanes]) &&
        tile->nest->size[lanes].value % MET_LANES == 0;
    return lies && tile->rows < ROWS_TO_COPY ? MET_FROM_MEMORY : MET_FROM_COPY;
}

/* --- Operands that are packed once --- */

/* The function that packs: a unit is one panel of one point of the outer loops. */
static void write_pack(met_tile *tile, met_draft *draft, uint32_t step)
{
    const met_tile_step *own = &tile->steps[step];
    const met_kernel_value *value = &tile->kernel->values[lanes_value(tile, step)];
    const met_site *from = &tile->values[lanes_value(tile, step)].site;
    met_writer *w = draft->writer;
    const char *x = met_draft_array_of(draft, value->edge, false);
    int64_t depth = tile->nest->size[own->column].value, lanes = tile->nest->size[own->lanes].value;
    met_draft_array to = { { MET_NONE }, MET_NONE, "y0", true, own->words };
    MET_PUSH(draft->writer->arena, &draft->arrays, to);
    met_number d = met_argument(w, depth, "depth"), l = met_argument(w, lanes, "lanes");
    met_number k_step = met_argument(w, from->offset.by[own->column].value, "k_step");
    met_number l_step = met_argument(w, from->offset.by[own->lanes].value, "l_step");
    met_number at = met_argument(w, from->offset.constant.value, "at");
    draft->units = (lanes + (int64_t)tile->class->tile_lanes - 1) / (int64_t)tile->class->tile_lanes;
    met_put(w, "const int64_t panels = (%s + TILE_LANES - 1) / TILE_LANES;", l.name);
    met_put_open(w, "for (int64_t unit = begin; unit < end; unit++)");
    met_put(w, "const int64_t first = unit %% panels * TILE_LANES;");
    met_put(w, "int64_t from = %s;", at.name);
    const char *before = "panels";
    for (uint32_t o = tile->kernel->loop_count; o-- > 0;) {
        if (tile->role[o] != MET_ROLE_OUTER || !(value->loops & met_loop_bit(o)) || tile->nest->size[o].value == 1)
            continue;
        met_number size = met_argument(w, tile->nest->size[o].value, "n"),
            by = met_argument(w, from->offset.by[o].value, "by");
        met_put(w, "from += unit / (%s) %% %s * %s;", before, size.name, by.name);
        before = met_format_text(w->arena, "%s * %s", before, size.name);
        draft->units *= tile->nest->size[o].value;
    }
    const char *panel = own->words ? met_format_text(w->arena, "((%s + 1) / 2 * TILE_LANES)", d.name)
                                   : met_format_text(w->arena, "%s * TILE_LANES", d.name);
    const char *call = own->words ? "pairs_panels(" : met_format_text(w->arena, "pack_panels(%s, ",
                                                                      met_contraction_format(from->dtype));
    met_put(w, "%sy0 + unit * %s, %s, %s + from + first * %s,", call, panel, panel, x, l_step.name);
    met_put(w, "            %s, %s, %s, tile_least(%s - first, TILE_LANES));", k_step.name, l_step.name, d.name,
            l.name);
    met_put_close(w);
}

static void pack_once(met_tile *tile, uint32_t step)
{
    met_draft *draft = met_draft_new(tile->arena, tile->draft->circuit, tile->draft->point, tile->draft->lowest);
    write_pack(tile, draft, step);
    draft->writer->lanes = draft->writer->tiles = true;
    draft->writer->pairs = tile->steps[step].words;
    uint64_t floats = 0, bytes = 0;
    uint64_t depth = (uint64_t)tile->nest->size[tile->steps[step].column].value;
    depth = tile->steps[step].words ? depth / 2 + depth % 2 : depth;
    bool fits = !__builtin_mul_overflow((uint64_t)draft->units * tile->class->tile_lanes, depth, &floats) &&
                !__builtin_mul_overflow(floats, sizeof(float), &bytes);
    if (!fits)
        met_tile_refuse(tile, "its packed operands are too large to count");
    tile->steps[step].panels = met_draft_packed(tile->draft, (met_draft_pack){ draft, bytes }, tile->steps[step].words);
}

void met_tile_operands(met_tile *tile)
{
    for (uint32_t s = 0; s < tile->kernel->step_count; s++) {
        met_tile_step *step = &tile->steps[s];
        if (step->kind != MET_TILE_CONTRACT)
            continue;
        step->rows_from = rows_from(tile, s);
        step->lanes_from = lanes_from(tile, s);
        met_dtype dtype = tile->values[lanes_value(tile, s)].site.dtype;
        bool all = step->gate == MET_NONE && !(tile->clipped && step->lanes == tile->stream);
        step->words = step->dot || (step->lanes_from == MET_FROM_PANELS && dtype == MET_BF16 && all);
        if (step->lanes_from == MET_FROM_PANELS)
            pack_once(tile, s);
    }
}

/* --- Text --- */

/* How many steps of k a tile takes here. */
static const char *depth_text(const met_tile *tile, uint32_t step)
{
    return met_tile_columns(tile, tile->steps[step].column);
}

static met_number by_text(const met_tile *tile, uint32_t value, uint32_t loop)
{
    return tile->values[value].site.offset.by[loop];
}

/* Element of the lane operand at the tile's first column and first step of k. */
static const char *lanes_begin(const met_tile *tile, uint32_t step)
{
    const met_tile_step *own = &tile->steps[step];
    const met_line *line = &tile->values[lanes_value(tile, step)].site.offset;
    const char *begin = met_tile_begin(tile, line, met_loop_bit(own->lanes), own->column);
    uint32_t moving = own->lanes == tile->stream || own->lanes == tile->block ? own->lanes : MET_NONE;
    if (moving == MET_NONE)
        return begin;
    return met_format_text(tile->arena, "%s + %s * %s", begin, moving == tile->stream ? "s0" : "c0",
                           met_number_text(tile->arena, line->by[moving]));
}

/* Whether it is another slice of it that is needed each time. */
static bool moves(const met_tile *tile, uint32_t step)
{
    return tile->stream != MET_NONE && (tile->steps[step].column == tile->stream ||
                                        tile->steps[step].lanes == tile->stream);
}

/* Floats or words from panel to panel, of this many steps of k. */
static const char *panel_text(const met_tile *tile, uint32_t step, const char *depth)
{
    return met_format_text(tile->arena, tile->steps[step].words ? "(%s + 1) / 2 * TILE_LANES" : "%s * TILE_LANES",
                           depth);
}

static void put_panel_copy(met_tile *tile, uint32_t step)
{
    const met_tile_step *own = &tile->steps[step];
    uint32_t value = lanes_value(tile, step);
    const met_site *site = &tile->values[value].site;
    const char *depth = depth_text(tile, step);
    const char *call = own->words ? "pairs_panels(" : met_format_text(tile->arena, "pack_panels(%s, ",
                                                                      met_contraction_format(site->dtype));
    met_put(tile->w, "%sb%u, %s, %s + %s, %s, %s, %s, %s);", call, step, panel_text(tile, step, depth), site->array,
            lanes_begin(tile, step), met_number_text(tile->arena, by_text(tile, value, own->column)),
            met_number_text(tile->arena, by_text(tile, value, own->lanes)), depth, met_tile_columns(tile, own->lanes));
}

static void put_row_copy(met_tile *tile, uint32_t step, bool slices)
{
    const met_tile_step *own = &tile->steps[step];
    uint32_t value = rows_value(tile, step);
    const char *width = tile->width[own->column].name;
    if (tile->values[value].maker != MET_NONE) {
        met_put(tile->w, "pairs_rows_of_floats(a%u, %s / 2, t%u, %s, %s, %s);", step, width, tile->values[value].tile,
                width,
                slices ? "part_end - part" : "rows", depth_text(tile, step));
        return;
    }
    const met_site *site = &tile->values[value].site;
    const char *k_step = met_number_text(tile->arena, by_text(tile, value, own->column));
    const char *from = own->column == tile->stream ? met_format_text(tile->arena, "%s + s0 * %s", site->array, k_step)
        : site->array;
    if (own->dot)
        met_put(tile->w, "pairs_rows_of_bf16(a%u, %s / 2, %s, from%u, %s, rows, %s);", step, width, from, step, k_step,
                depth_text(tile, step));
    else
        met_put(tile->w, "pack_rows(%s, a%u, %s, %s, from%u, %s, rows, %s);", met_contraction_format(site->dtype),
                step, width, from,
                step, k_step, depth_text(tile, step));
}

/* Where every row of an operand begins. */
static void put_row_offsets(met_tile *tile, uint32_t step)
{
    const met_line *line = &tile->values[rows_value(tile, step)].site.offset;
    met_text saved = tile->w->body;
    tile->w->body = met_text_new(tile->arena);
    tile->w->depth++;
    met_put(tile->w, "from%u[r] = %s;", step, met_line_text(tile->nest, line, met_loop_bit(tile->steps[step].column)));
    tile->w->depth--;
    const char *inside = met_text_done(&tile->w->body);
    tile->w->body = saved;
    met_tile_put_row_loop(tile, inside, false);
}

void met_tile_put_operands(met_tile *tile)
{
    for (uint32_t s = 0; s < tile->kernel->step_count; s++) {
        const met_tile_step *step = &tile->steps[s];
        if (step->kind != MET_TILE_CONTRACT)
            continue;
        bool row_copy = step->rows_from == MET_FROM_COPY && tile->values[rows_value(tile, s)].maker == MET_NONE;
        if (row_copy)
            put_row_offsets(tile, s);
        if (row_copy && step->column != tile->stream)
            put_row_copy(tile, s, false);
        if (step->lanes_from == MET_FROM_COPY && !moves(tile, s))
            put_panel_copy(tile, s);
    }
}

/* The row operand: its first row, and floats from row to row. */
static const char *rows_text(const met_tile *tile, uint32_t step, const char **ret_row)
{
    const met_tile_step *own = &tile->steps[step];
    uint32_t value = rows_value(tile, step);
    *ret_row = tile->width[own->column].name;
    if (own->rows_from == MET_FROM_TILE)
        return met_format_text(tile->arena, "t%u", tile->values[value].tile);
    if (own->rows_from == MET_FROM_COPY && own->dot)
        *ret_row = met_format_text(tile->arena, "%s / 2", *ret_row);
    if (own->rows_from == MET_FROM_COPY)
        return met_format_text(tile->arena, "a%u", step);
    const met_site *site = &tile->values[value].site;
    bool many;
    uint32_t row = row_loop(tile, &many);
    met_number by = row == MET_NONE ? met_literal(0) : site->offset.by[row];
    *ret_row = met_number_text(tile->arena, by);
    met_loops without = row == MET_NONE ? 0 : met_loop_bit(row);
    const char *begin = met_tile_begin(tile, &site->offset, without, own->column);
    return row == MET_NONE ? met_format_text(tile->arena, "%s + %s", site->array, begin)
                           : met_format_text(tile->arena, "%s + %s + row0 * %s", site->array, begin, *ret_row);
}

/* The lane operand as tile_panels, or tile_pairs if it is words. */
static const char *panels_text(const met_tile *tile, uint32_t step)
{
    const met_tile_step *own = &tile->steps[step];
    uint32_t value = lanes_value(tile, step);
    const met_site *site = &tile->values[value].site;
    const char *row = own->words ? "" : "TILE_LANES, ";
    if (own->lanes_from == MET_FROM_COPY)
        return met_format_text(tile->arena, "b%u, %s%s", step, row, panel_text(tile, step, depth_text(tile, step)));
    if (own->lanes_from == MET_FROM_MEMORY)
        return met_format_text(tile->arena, "%s + %s, %s, TILE_LANES", site->array, lanes_begin(tile, step),
                               met_number_text(tile->arena, by_text(tile, value, own->column)));
    /* packed once: panels of the whole depth, all of one point of the outer loops after those of the one before */
    const char *depth = met_number_text(tile->arena, tile->nest->size[own->column]);
    const char *lanes = met_number_text(tile->arena, tile->nest->size[own->lanes]);
    const char *point = "0";
    for (uint32_t o = 0; o < tile->kernel->loop_count; o++)
        if (tile->role[o] == MET_ROLE_OUTER && (tile->kernel->values[value].loops & met_loop_bit(o)) &&
            tile->nest->size[o].value > 1)
            point = strcmp(point, "0") == 0 ? tile->nest->counter[o]
                                            : met_format_text(tile->arena, "(%s) * %s + %s", point,
                                                              met_number_text(tile->arena, tile->nest->size[o]),
                                                                  tile->nest->counter[o]);
    met_text at = met_text_new(tile->arena);
    met_text_put(&at, own->panels);
    const char *panel = panel_text(tile, step, depth);
    if (strcmp(point, "0") != 0)
        met_text_format(&at, " + (%s) * ((%s + TILE_LANES - 1) / TILE_LANES) * (%s)", point, lanes, panel);
    if (own->lanes == tile->block || own->lanes == tile->stream)
        met_text_format(&at, " + %s / TILE_LANES * (%s)", own->lanes == tile->block ? "c0" : "s0", panel);
    if (own->column == tile->stream)
        met_text_put(&at, own->words ? " + s0 / 2 * TILE_LANES" : " + s0 * TILE_LANES");
    return met_format_text(tile->arena, "%s, %s%s", met_text_done(&at), row, panel);
}

/* The lane operand as pack_source. */
static const char *source_text(const met_tile *tile, uint32_t step)
{
    const met_tile_step *own = &tile->steps[step];
    uint32_t value = lanes_value(tile, step);
    return met_format_text(tile->arena, "%s + %s, %s, %s", tile->values[value].site.array, lanes_begin(tile, step),
                           met_number_text(tile->arena, by_text(tile, value, own->column)),
                           met_number_text(tile->arena, by_text(tile, value, own->lanes)));
}

/* Whether the panels of a slice are packed block by block, just before each is used: not if several parts of the rows use
 * them. */
bool met_tile_packs_on_the_way(const met_tile *tile, uint32_t step)
{
    for (uint32_t t = 0; t < tile->rooms.count; t++)
        if (tile->rooms.at[t].part)
            return false;
    const met_tile_step *own = &tile->steps[step];
    return own->lanes_from == MET_FROM_COPY && moves(tile, step) && !own->words;
}

void met_tile_put_moving(met_tile *tile, uint32_t step)
{
    const met_tile_step *own = &tile->steps[step];
    bool made = tile->values[rows_value(tile, step)].maker != MET_NONE;
    if (own->rows_from == MET_FROM_COPY && !made && own->column == tile->stream)
        put_row_copy(tile, step, true);
    if (own->lanes_from == MET_FROM_COPY && moves(tile, step) && !met_tile_packs_on_the_way(tile, step))
        put_panel_copy(tile, step);
}

/* From where in a tile or an array of rows the part begins that is worked on. */
static const char *from_part(const met_tile *tile, const char *rows, const char *row, bool whole)
{
    return whole ? rows : met_format_text(tile->arena, "%s + part * %s", rows, row);
}

/* What all calls begin with: rows, lanes, depth, the operands and the result. */
static const char *common_text(met_tile *tile, uint32_t step, bool slices)
{
    const met_tile_step *own = &tile->steps[step];
    const met_tile_value *a = &tile->values[rows_value(tile, step)], *out = &tile->values[met_tile_output(tile, step)];
    bool part_rows = a->maker != MET_NONE && (own->dot || tile->rooms.at[a->tile].part);
    const char *row, *rows = rows_text(tile, step, &row), *c_row = tile->width[own->lanes].name;
    const char *c = met_format_text(tile->arena, "t%u", out->tile);
    return met_format_text(tile->arena, "%s, %s, %s, %s, %s, panels%u, %s, %s", slices ? "part_end - part" : "rows",
                           met_tile_columns(tile, own->lanes), depth_text(tile, step),
                           from_part(tile, rows, row, !slices || part_rows), row, step,
                           from_part(tile, c, c_row, !slices || tile->rooms.at[out->tile].part), c_row);
}

void met_tile_put_contraction(met_tile *tile, uint32_t step, bool slices)
{
    const met_tile_step *own = &tile->steps[step];
    bool on_the_way = met_tile_packs_on_the_way(tile, step);
    if (own->rows_from == MET_FROM_COPY && tile->values[rows_value(tile, step)].maker != MET_NONE)
        put_row_copy(tile, step, slices);
    if (on_the_way)
        met_put(tile->w, "const pack_source panels%u = { %s };", step, source_text(tile, step));
    else
        met_put(tile->w, "const tile_%s panels%u = { %s };", own->words ? "pairs" : "panels", step,
                panels_text(tile, step));
    const char *common = common_text(tile, step, slices);
    bool streams = met_tile_streams(tile, step), parts = streams && own->gate != MET_NONE;
    const char *live = tile->clipped && own->lanes == tile->stream ? "live + part" : "NULL";
    const char *fresh = streams ? "s0 == 0" : "1";
    if (on_the_way)
        met_put(tile->w, "pack_contract(%s, %s, %s, %s, %s, b%u);",
                met_contraction_format(tile->values[lanes_value(tile, step)].site.dtype), common, parts ? "0" : fresh,
                    live,
                parts ? "live + part" : "NULL", step);
    else if (parts)
        met_put(tile->w, "tile_contract_parts(%s, live + part);", common);
    else if (own->dot)
        met_put(tile->w, "pairs_contract_dot(%s, %s);", common, fresh);
    else if (own->words)
        met_put(tile->w, "pairs_contract(%s, %s, room%u);", common, fresh, step);
    else
        met_put(tile->w, "tile_contract(%s, %s, %s);", common, fresh, live);
}
