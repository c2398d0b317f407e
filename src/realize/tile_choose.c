/* Sizes of tiles. No bit depends on them (but where a rescaling is not exact), so they are chosen for speed alone: rows so
 * that the lane operand is read often enough, slices so that a tile of rows by slice stays in L2, blocks of columns so
 * that there is work for every thread. */
#include <stdlib.h>
#include <string.h>

#include "realize/contraction.h"
#include "realize/tile.h"

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t up(int64_t n, int64_t step)
{
    return (n + step - 1) / step * step;
}

int64_t met_tiles_given(const char *tiles, const char *loop)
{
    size_t length = strlen(loop);
    for (const char *at = tiles; at && *at; at = strchr(at, ','), at = at ? at + 1 : NULL)
        if (strncmp(at, loop, length) == 0 && at[length] == '=')
            return strtoll(at + length + 1, NULL, 10);
    return 0;
}

static const char *loop_name(const met_tile *tile, uint32_t loop)
{
    return met_sym_text(tile->kernel->circuit->session, tile->kernel->loops[loop].name);
}

int64_t met_tile_extent(const met_tile *tile, uint32_t column)
{
    int64_t size = tile->nest->size[column].value;
    if (column == tile->stream)
        return least(tile->slice, size);
    return column == tile->block ? least(tile->columns, size) : size;
}

/* Floats from row to row: whole vectors, and not a multiple of a page, which would put all rows into one set of a cache. */
static int64_t width_of(const met_tile *tile, uint32_t column)
{
    int64_t width = up(met_tile_extent(tile, column), MET_LANES);
    return width % 256 == 0 ? width + MET_LANES : width;
}

/* --- What the kernel is like --- */

typedef struct traits {
    bool contracts, folds, streams_tiles;
    int64_t outer;      /* points of the outer loops */
    int64_t columns;    /* the longest row */
    int64_t depth;      /* the longest contraction before or within the stream */
} traits;

static traits traits_of(const met_tile *tile)
{
    traits t = { .outer = 1, .columns = 1, .depth = 1 };
    for (uint32_t l = 0; l < tile->kernel->loop_count; l++) {
        if (!tile->gone[l] && tile->role[l] == MET_ROLE_OUTER)
            t.outer *= tile->nest->size[l].value;
        if (!tile->gone[l] && tile->role[l] == MET_ROLE_COLUMN)
            t.columns = most(t.columns, tile->nest->size[l].value);
    }
    for (uint32_t s = 0; s < tile->kernel->step_count; s++) {
        const met_tile_step *step = &tile->steps[s];
        t.folds = t.folds || step->kind != MET_TILE_MAP;
        if (step->kind != MET_TILE_CONTRACT)
            continue;
        t.contracts = true;
        t.streams_tiles = t.streams_tiles || (tile->stream != MET_NONE &&
                                              (step->column == tile->stream || step->lanes == tile->stream));
        if (step->column != tile->stream)
            t.depth = most(t.depth, tile->nest->size[step->column].value);
    }
    for (uint32_t k = 0; k < tile->rooms.count; k++)
        t.streams_tiles = t.streams_tiles || (tile->stream != MET_NONE && tile->rooms.at[k].column == tile->stream);
    return t;
}

static bool has_body_tiles(const met_tile *tile)
{
    for (uint32_t k = 0; k < tile->rooms.count; k++)
        if (tile->stream != MET_NONE && tile->rooms.at[k].column == tile->stream)
            return true;
    return false;
}

/* --- Choices --- */

enum { ROWS = 192, FEW_ROWS = 24, SLICE = 256, DEPTH = 512, COLUMNS = 256, ELEMENTS = 16384 };

static int64_t blocks(int64_t n, int64_t size)
{
    return (n + size - 1) / size;
}

static int64_t units_of(const met_tile *tile, const traits *t)
{
    int64_t units = t->outer * blocks(tile->row_count, tile->rows);
    return tile->block == MET_NONE ? units : units * blocks(tile->nest->size[tile->block].value, tile->columns);
}

/* Blocks of nearly equal size, whole register tiles. */
static int64_t even(int64_t n, int64_t size, int64_t step)
{
    return least(n, up(blocks(n, blocks(n, size)), step));
}

static void choose_slice(met_tile *tile, const traits *t)
{
    int64_t size = tile->nest->size[tile->stream].value, lanes = (int64_t)tile->class->tile_lanes;
    tile->slice = up(size, MET_LANES);
    if (!t->streams_tiles)
        return;
    int64_t slice = has_body_tiles(tile) ? (tile->clipped ? SLICE / 2 : SLICE) : /* guards cut less off short slices */
                    met_tile_copies_rows(tile) ? DEPTH : tile->slice;
    int64_t fits = (int64_t)tile->class->l2_bytes / 8 / t->depth / lanes * lanes;
    slice = has_body_tiles(tile) ? most(lanes, least(slice, fits)) : slice;
    tile->slice = least(up(size, lanes), slice);
}

static void choose_contraction(met_tile *tile, const traits *t, int64_t threads)
{
    int64_t step = (int64_t)tile->class->tile_rows, lanes = (int64_t)tile->class->tile_lanes;
    tile->rows = even(tile->row_count, ROWS, step);
    if (tile->block != MET_NONE)
        tile->columns = least(up(tile->nest->size[tile->block].value, lanes), COLUMNS);
    while (tile->block != MET_NONE && units_of(tile, t) < 4 * threads && tile->columns > 2 * lanes)
        tile->columns = up(tile->columns / 2, lanes);
    while (units_of(tile, t) < 2 * threads && tile->rows > FEW_ROWS)
        tile->rows = even(tile->row_count, tile->rows / 2, step);
}

static void choose_rows(met_tile *tile, const traits *t)
{
    int64_t columns = t->columns;
    if (tile->block != MET_NONE) {
        tile->columns = t->folds ? tile->nest->size[tile->block].value : ELEMENTS;
        columns = least(tile->columns, tile->nest->size[tile->block].value);
    }
    tile->rows = even(tile->row_count, most(1, ELEMENTS / columns), 1);
}

/* Rows whose tiles of a slice stay in L1 from one round of work to the next; whole register tiles. */
static int64_t choose_part(const met_tile *tile)
{
    int64_t bytes = 0, step = (int64_t)tile->class->tile_rows;
    for (uint32_t t = 0; t < tile->rooms.count; t++)
        bytes += tile->rooms.at[t].part ? width_of(tile, tile->rooms.at[t].column) * (int64_t)sizeof(float) : 0;
    int64_t rows = bytes ? (int64_t)tile->class->l1_bytes / bytes / step * step : tile->rows;
    return least(tile->rows, most(rows, 2 * step));
}

/* What the options say of the loops of this kernel. */
static void apply_given(met_tile *tile, const char *tiles)
{
    int64_t rows = 1, lanes = (int64_t)tile->class->tile_lanes;
    bool rows_given = false;
    for (uint32_t l = 0; l < tile->kernel->loop_count; l++) {
        int64_t given = met_tiles_given(tiles, loop_name(tile, l));
        int64_t size = tile->nest->size[l].value;
        if (tile->role[l] == MET_ROLE_ROW && !tile->gone[l]) {
            rows *= given ? least(given, size) : size;
            rows_given = rows_given || given;
        } else if (given && l == tile->stream) {
            tile->slice = up(given, lanes);
        } else if (given && l == tile->block) {
            tile->columns = up(given, lanes);
        }
    }
    if (rows_given)
        tile->rows = least(rows, tile->row_count);
}

/* --- Scratch --- */

/* A new buffer, each on its own cache lines. */
static void add_buffer(met_tile *tile, const char *name, const char *type, int64_t floats)
{
    met_tile_buffer buffer = { name, type, met_argument(tile->w, tile->scratch, "at_%s", name) };
    MET_PUSH(tile->arena, &tile->buffers, buffer);
    int64_t size;
    bool fits = floats >= 0 && floats < INT64_MAX / 64 && !__builtin_add_overflow(tile->scratch, up(floats, 16),
                                                                                  &size) &&
                size < INT64_MAX / 64;
    if (fits)
        tile->scratch = size;
    else
        met_tile_refuse(tile, "its tiles are too large to count");
}

static int64_t times(int64_t a, int64_t b)
{
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? -1 : product;
}

/* Panels of floats, or of words where they hold pairs; one block of them if they are packed on the way. */
static int64_t packed(const met_tile *tile, uint32_t s)
{
    const met_tile_step *step = &tile->steps[s];
    uint64_t k = (uint64_t)met_tile_extent(tile, step->column), lanes = (uint64_t)met_tile_extent(tile, step->lanes);
    uint64_t size = 0, block = met_contraction_room(tile->class);
    bool fits = step->words ? met_packed_words(tile->class, k, lanes, &size)
                            : met_packed_floats(tile->class, k, lanes, &size);
    if (fits && met_tile_packs_on_the_way(tile, s) && size > block)
        size = block;
    return fits && size < INT64_MAX ? (int64_t)size : -1;
}

static void add_operands(met_tile *tile, uint32_t s)
{
    const met_tile_step *step = &tile->steps[s];
    if (step->rows_from == MET_FROM_COPY) {
        add_buffer(tile, met_format_text(tile->arena, "a%u", s), step->dot ? "uint32_t" : "float",
                   times(tile->rows, width_of(tile, step->column)));
        if (tile->values[tile->kernel->steps[s].ins[step->row_operand]].maker == MET_NONE)
            add_buffer(tile, met_format_text(tile->arena, "from%u", s), "int64_t", times(tile->rows, 2));
    }
    if (step->lanes_from == MET_FROM_COPY)
        add_buffer(tile, met_format_text(tile->arena, "b%u", s), step->words ? "uint32_t" : "float",
                   packed(tile, s));
    if (step->words && !step->dot)
        add_buffer(tile, met_format_text(tile->arena, "room%u", s), "float",
                   (int64_t)met_contraction_room(tile->class));
}

static void add_buffers(met_tile *tile)
{
    for (uint32_t t = 0; t < tile->rooms.count; t++)
        add_buffer(tile, met_format_text(tile->arena, "t%u", t), "float",
                   times(tile->rooms.at[t].part ? tile->part : tile->rows, width_of(tile, tile->rooms.at[t].column)));
    for (uint32_t v = 0; v < tile->kernel->value_count; v++)
        if (tile->values[v].kept && tile->values[v].column == MET_NONE)
            add_buffer(tile, met_format_text(tile->arena, "r%u", v), "float", tile->rows);
    for (uint32_t s = 0; s < tile->kernel->step_count; s++) {
        if (tile->steps[s].kind == MET_TILE_FOLD && met_tile_streams(tile, s)) {
            add_buffer(tile, met_format_text(tile->arena, "z%u", s), "float", times(tile->rows, MET_LANES));
            if (met_tile_is_running(tile, s))
                add_buffer(tile, met_format_text(tile->arena, "m%u", s), "float", tile->rows);
        }
        if (tile->steps[s].kind == MET_TILE_CONTRACT)
            add_operands(tile, s);
    }
    if (tile->stream_gate != MET_NONE) {
        add_buffer(tile, "whole", "tile_range", times(tile->rows, 4));
        add_buffer(tile, "live", "tile_range", times(tile->rows, 4));
    }
    tile->width = MET_NEW_ARRAY(tile->arena, met_number, tile->kernel->loop_count);
    for (uint32_t l = 0; l < tile->kernel->loop_count; l++)
        if (!tile->gone[l] && tile->role[l] == MET_ROLE_COLUMN)
            tile->width[l] = met_argument(tile->w, width_of(tile, l), "w_%s", tile->nest->label[l]);
}

bool met_tile_choose(met_tile *tile, const met_realize_options *options)
{
    tile->row_count = 1;
    for (uint32_t l = 0; l < tile->kernel->loop_count; l++)
        if (tile->role[l] == MET_ROLE_ROW)
            tile->row_count *= tile->nest->size[l].value;
    traits t = traits_of(tile);
    tile->columns = tile->block == MET_NONE ? 1 : tile->nest->size[tile->block].value;
    if (tile->stream != MET_NONE)
        choose_slice(tile, &t);
    if (t.contracts)
        choose_contraction(tile, &t, options->threads ? options->threads : 1);
    else
        choose_rows(tile, &t);
    apply_given(tile, options->tiles);
    tile->part = choose_part(tile);
    met_tile_operands(tile);
    add_buffers(tile);
    tile->draft->units = units_of(tile, &t);
    tile->draft->scratch_bytes = (size_t)tile->scratch * sizeof(float);
    return tile->refusal == NULL;
}

const char *met_tile_summary(const met_tile *tile)
{
    met_text text = met_text_new(tile->arena);
    const char *rows = NULL;
    for (uint32_t l = 0; l < tile->kernel->loop_count; l++)
        if (tile->role[l] == MET_ROLE_ROW && !tile->gone[l])
            rows = rows ? met_format_text(tile->arena, "%s*%s", rows, tile->nest->label[l]) : tile->nest->label[l];
    if (rows)
        met_text_format(&text, "%s %lld", rows, (long long)tile->rows);
    if (tile->block != MET_NONE)
        met_text_format(&text, "%s%s %lld", text.length ? ", " : "", tile->nest->label[tile->block],
                        (long long)met_tile_extent(tile, tile->block));
    if (tile->stream != MET_NONE)
        met_text_format(&text, "%s%s %lld", text.length ? ", " : "", tile->nest->label[tile->stream],
                        (long long)met_tile_extent(tile, tile->stream));
    return met_text_done(&text);
}
