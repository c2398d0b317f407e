/* One go over the columns of a row: maps and folds on lanes. Its text is written twice, for whole vectors and for those
 * that are cut by the end of the row or by a guard. */
#include "realize/formula.h"
#include "realize/tile_text.h"

typedef struct nest_text {
    met_tile_row *row;
    met_tile *tile;
    uint32_t column;
    uint32_t gate;   /* MET_NONE: all columns */
    bool part;       /* the text for vectors that are cut */
    bool *known;     /* by value: a lane variable of this go */
    met_text before; /* lines in front of the loop */
    const met_kernel_step *step; /* whose formula is being written */
} nest_text;

static met_dtype dtype_of(const met_tile *tile, uint32_t value)
{
    return (met_dtype)tile->kernel->circuit->edges[tile->kernel->values[value].edge.id].format.dtype;
}

static const char *name_of(const nest_text *n, uint32_t value)
{
    return met_format_text(n->tile->arena, "v%u", value);
}

/* --- Loads --- */

static const char *load_text(nest_text *n, uint32_t value, const char *offset)
{
    const met_site *site = &n->tile->values[value].site;
    const char *ending = met_draft_ending(site->dtype);
    return n->part ? met_format_text(n->tile->arena, "lane_load%s_part(%s + %s, left)", ending, site->array, offset)
                   : met_format_text(n->tile->arena, "lane_load%s(%s + %s)", ending, site->array, offset);
}

/* Columns that do not lie next to each other, one by one. */
static void put_strided_load(nest_text *n, uint32_t value, const char *offset, met_number step)
{
    met_tile *tile = n->tile;
    const char *at = met_format_text(tile->arena, "%s + l * %s", offset, met_number_text(tile->arena, step));
    met_put(tile->w, "float at%u[LANES] = { 0 };", value);
    met_put_open(tile->w, "for (int64_t l = 0; l < %s; l++)", n->part ? "(left < LANES ? left : LANES)" : "LANES");
    met_put(tile->w, "at%u[l] = %s;", value, met_draft_load(tile->draft, &tile->values[value].site, at));
    met_put_close(tile->w);
    met_put(tile->w, "const lane v%u = lane_load(at%u);", value, value);
}

static void put_load(nest_text *n, uint32_t value)
{
    met_tile *tile = n->tile;
    const met_tile_value *v = &tile->values[value];
    if (v->maker != MET_NONE) {
        met_put(tile->w, "const lane v%u = lane_load(%s);", value, met_tile_at(tile, value));
        return;
    }
    const char *offset = met_tile_offset(tile, &v->site.offset, n->column);
    met_number step = v->site.offset.by[n->column];
    if (!step.name && step.value == 1)
        met_put(tile->w, "const lane v%u = %s;", value, load_text(n, value, offset));
    else
        put_strided_load(n, value, offset, step);
}

/* The value as a lane variable. */
static const char *lanes_of(nest_text *n, uint32_t value)
{
    if (n->known[value] || n->row->broadcast[value])
        return name_of(n, value);
    if (n->tile->values[value].column == MET_NONE) {
        met_text body = n->tile->w->body;
        int depth = n->tile->w->depth;
        n->tile->w->body = n->before;
        n->tile->w->depth = n->row->depth;
        const char *scalar = met_tile_scalar(n->row, value);
        met_put(n->tile->w, "const lane v%u = lane_set(%s);", value, scalar);
        n->before = n->tile->w->body;
        n->tile->w->body = body;
        n->tile->w->depth = depth;
        n->row->broadcast[value] = true;
    } else {
        put_load(n, value);
        n->known[value] = true;
    }
    return name_of(n, value);
}

/* --- Formulas --- */

static const char *input_leaf(void *context, uint32_t input)
{
    nest_text *n = context;
    return lanes_of(n, n->step->ins[input]);
}

static const char *index_leaf(void *context, uint32_t index)
{
    nest_text *n = context;
    uint32_t loop = n->step->loops[index];
    if (loop == n->column)
        return met_format_text(n->tile->arena, "lane_index(%s, 1)", met_tile_column(n->tile, loop));
    return met_format_text(n->tile->arena, "lane_set((float)%s)", n->tile->nest->counter[loop]);
}

static const char *size_leaf(void *context, const met_dim *size)
{
    nest_text *n = context;
    return met_format_text(n->tile->arena, "lane_set((float)%s)", met_tile_size(n->tile, size));
}

static const char *formula(nest_text *n, const met_scalar *e)
{
    met_leaves leaves = { n, input_leaf, index_leaf, size_leaf };
    return met_lane_formula_text(n->tile->w, e, &leaves);
}

static const char *rounded(met_tile *tile, met_dtype dtype, const char *value)
{
    met_helper helper = dtype == MET_BF16 ? MET_HELPER_ROUND_BF16 : dtype == MET_F16 ? MET_HELPER_ROUND_F16
        : MET_HELPER_ROUND_I32;
    return dtype == MET_F32 ? value : met_format_text(tile->arena, "%s(%s)", met_need(tile->w, helper), value);
}

/* --- Stores --- */

static void put_store(nest_text *n, uint32_t value)
{
    met_tile *tile = n->tile;
    const met_site *site = &tile->values[value].site;
    const char *name = name_of(n, value), *offset = met_tile_offset(tile, &site->offset, n->column);
    if (n->part && n->gate != MET_NONE)
        name = met_format_text(tile->arena, "lane_select(on, %s, lane_set(%s))", name,
                               met_draft_unit(tile->draft, site->edge));
    met_number step = site->offset.by[n->column];
    if (!step.name && step.value == 1) {
        const char *kept = site->dtype == MET_F32 ? met_format_text(tile->arena, "lane_canonical(%s)", name) : name;
        met_put(tile->w, "lane_store%s%s(%s + %s, %s%s);", met_draft_ending(site->dtype), n->part ? "_part" : "",
                site->array,
                offset, kept, n->part ? ", left" : "");
        return;
    }
    met_put(tile->w, "float to%u[LANES];", value);
    met_put(tile->w, "lane_store(to%u, %s);", value, name);
    met_put_open(tile->w, "for (int64_t l = 0; l < %s; l++)", n->part ? "(left < LANES ? left : LANES)" : "LANES");
    met_draft_store(tile->draft, site, met_format_text(tile->arena, "%s + l * %s", offset,
                                                       met_number_text(tile->arena, step)),
                    met_format_text(tile->arena, "to%u[l]", value));
    met_put_close(tile->w);
}

/* --- Work --- */

static void put_made(nest_text *n, uint32_t value, const char *lanes, bool keep)
{
    met_tile *tile = n->tile;
    met_put(tile->w, "const lane v%u = %s;", value, rounded(tile, dtype_of(tile, value), lanes));
    n->known[value] = true;
    if (keep)
        met_put(tile->w, "lane_store(%s, v%u);", met_tile_at(tile, value), value);
    if (tile->values[value].stored)
        put_store(n, value);
}

static const char *fold_step(const met_tile *tile, met_monoid monoid, const char *sum, const char *term)
{
    static const char *const steps[] = {
        [MET_MONOID_ADD] = "lane_add(%s, %s)", [MET_MONOID_MUL] = "lane_mul(%s, %s)",
        [MET_MONOID_MAX] = "lane_max(%s, %s)", [MET_MONOID_MIN] = "lane_min(%s, %s)",
    };
    if (monoid == MET_MONOID_OR)
        return met_format_text(tile->arena,
                               "lane_select(lane_or(lane_ne(%s, lane_set(0.0f)), lane_ne(%s, lane_set(0.0f))), "
                               "lane_set(1.0f), lane_set(0.0f))", sum, term);
    met_text text = met_text_new(tile->arena);
    const char *step = steps[monoid], *first = strstr(step, "%s"), *second = strstr(first + 2, "%s");
    met_text_bytes(&text, step, (size_t)(first - step));
    met_text_put(&text, sum);
    met_text_bytes(&text, first + 2, (size_t)(second - first - 2));
    met_text_put(&text, term);
    met_text_put(&text, second + 2);
    return met_text_done(&text);
}

static void put_fold(nest_text *n, uint32_t step)
{
    met_tile *tile = n->tile;
    const met_primitive *form = &tile->steps[step].form;
    const met_scalar *e = form->e;
    const char *sum = met_format_text(tile->arena, "sum%u", step), *next;
    if (form->product && form->monoid == MET_MONOID_ADD && e->kind == MET_SCALAR_CALL)
        next = met_format_text(tile->arena, "lane_fma(%s, %s, %s)", formula(n, e->arguments[0]),
                               formula(n, e->arguments[1]), sum);
    else
        next = fold_step(tile, form->monoid, sum, formula(n, e));
    met_put(tile->w, n->part ? "%s = lane_select(on, %s, %s);" : "%s = %s;", sum, next, sum);
}

static void put_work(nest_text *n, const met_tile_work *work)
{
    met_tile *tile = n->tile;
    n->step = &tile->kernel->steps[work->step];
    uint32_t out = n->step->outs[0];
    const met_tile_value *value = &tile->values[out];
    if (work->finish)
        put_made(n, out, met_format_text(tile->arena, "lane_load(%s)", met_tile_at(tile, out)),
                 value->reread && dtype_of(tile, out) != MET_F32);
    else if (tile->steps[work->step].kind == MET_TILE_FOLD)
        put_fold(n, work->step);
    else
        put_made(n, out, formula(n, tile->steps[work->step].form.e), value->kept);
}

/* The loop's inside, one level deeper than the loop. */
static const char *inside(nest_text *n, uint32_t count, const met_tile_work *work, bool part)
{
    met_writer *w = n->tile->w;
    met_text saved = w->body;
    w->body = met_text_new(n->tile->arena);
    n->part = part;
    memset(n->known, 0, n->tile->kernel->value_count * sizeof *n->known);
    for (uint32_t k = 0; k < count; k++)
        put_work(n, &work[k]);
    const char *text = met_text_done(&w->body);
    w->body = saved;
    return text;
}

/* --- The loop --- */

/* Whether the go must make all columns, not only those of its gate. */
static bool covers(const nest_text *n, uint32_t count, const met_tile_work *work)
{
    for (uint32_t k = 0; k < count; k++) {
        const met_tile_value *made = &n->tile->values[n->tile->kernel->steps[work[k].step].outs[0]];
        bool map = work[k].finish || n->tile->steps[work[k].step].kind == MET_TILE_MAP;
        if (map && (made->stored || (made->kept && !n->row->skips)))
            return true;
    }
    return false;
}

static void put_loop(nest_text *n, uint32_t count, const met_tile_work *work)
{
    met_writer *w = n->tile->w;
    const char *end = met_tile_columns(n->tile, n->column);
    w->depth += 2;
    const char *whole = inside(n, count, work, false), *part = inside(n, count, work, true);
    w->depth -= 2;
    met_text_put(&w->body, met_text_done(&n->before));
    bool gated = n->gate != MET_NONE, all = covers(n, count, work), same = strcmp(whole, part) == 0;
    const char *lo = n->row->lo, *hi = n->row->hi;
    const char *head = gated && !all ? met_format_text(w->arena,
                                                       "for (int64_t c = %s / LANES * LANES; c < %s; c += LANES)", lo,
                                                           hi)
                                     : met_format_text(w->arena, "for (int64_t c = 0; c < %s; c += LANES)", end);
    met_put_open(w, "%s", head);
    if (!same && gated)
        met_put_open(w, "if (c >= %s && c + LANES <= %s)", lo, hi);
    else if (!same)
        met_put_open(w, "if (c + LANES <= %s)", end);
    met_text_put(&w->body, whole);
    if (!same) {
        met_put_else(w);
        bool masks = met_mentions(part, "on");
        if (met_mentions(part, "left") || (masks && !gated))
            met_put(w, "const int64_t left = %s - c;", end);
        if (masks && gated)
            met_put(w, "const lane_mask on = lane_range(%s - c, %s - c);", lo, hi);
        else if (masks)
            met_put(w, "const lane_mask on = lane_range(0, left);");
        met_text_put(&w->body, part);
        met_put_close(w);
    }
    met_put_close(w);
}

void met_tile_put_nest(met_tile_row *row, uint32_t count, const met_tile_work *work)
{
    met_tile *tile = row->tile;
    nest_text n = { .row = row, .tile = tile, .gate = MET_NONE };
    n.column = met_tile_work_column(tile, &work[0]);
    n.known = MET_NEW_ARRAY(tile->arena, bool, tile->kernel->value_count);
    n.before = met_text_new(tile->arena);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t gate;
        if (met_tile_work_gate(tile, &work[k], &gate))
            n.gate = gate;
    }
    if (n.gate == MET_NONE && row->skips && n.column == tile->stream)
        n.gate = tile->stream_gate; /* maps of a row need not go where nothing is live */
    met_tile_put_gate(row, n.gate);
    for (uint32_t k = 0; k < count; k++)
        if (tile->steps[work[k].step].kind == MET_TILE_FOLD && !work[k].finish)
            met_tile_begin_fold(row, work[k].step);
    put_loop(&n, count, work);
    for (uint32_t k = 0; k < count; k++)
        if (tile->steps[work[k].step].kind == MET_TILE_FOLD && !work[k].finish)
            met_tile_end_fold(row, work[k].step, n.gate);
}
