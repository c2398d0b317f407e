/* Recurrences: a unit is a row, whose state stands in scratch memory while the steps go by. Sums over the state are
 * sequential; the order of arithmetic is that of src/eval/scan.c. */
#include "realize/generic.h"

/* Element of the state where its loops stand: the last one running fastest. */
static const char *cell_text(const met_generic *g)
{
    const char *text = "0";
    for (uint32_t k = 0; k < g->fold_count; k++) {
        const char *counter = g->nest->counter[g->folded[k]];
        text = k == 0 ? counter : met_format_text(g->arena, "(%s) * %s + %s", text, g->nest->size[g->folded[k]].name, counter);
    }
    return text;
}

static void open_cells(met_generic *g)
{
    for (uint32_t k = 0; k < g->fold_count; k++) {
        const char *c = g->nest->counter[g->folded[k]];
        met_put_open(g->w, "for (int64_t %s = 0; %s < %s; %s++)", c, c, g->nest->size[g->folded[k]].name, c);
    }
}

static void close_cells(met_generic *g)
{
    for (uint32_t k = 0; k < g->fold_count; k++)
        met_put_close(g->w);
}

/* The arrays that a formula reads: the state is input 0, and what was recalled the one after the last. */
static void put_inputs(met_generic *g, const met_scalar *e)
{
    for (uint32_t k = 0; k <= g->node->in_count; k++) {
        if (!met_formula_reads(e, k))
            continue;
        const char *from = k == 0                    ? met_format_text(g->arena, "state[%s]", cell_text(g))
                           : k == g->node->in_count ? "recalled"
                                                     : met_draft_load(g->draft, &g->in[k], met_generic_offset(g, &g->in[k]));
        met_put(g->w, "const float a%u = %s;", k, from);
    }
}

/* `name`: the formula summed over the state. */
static void put_sum(met_generic *g, const met_scalar *e, const char *name)
{
    bool nothing = e->kind == MET_SCALAR_NUMBER && e->number == 0, product = met_scalar_is_product(e);
    if (g->fold_count == 0 || nothing) {
        met_put(g->w, "float %s;", name);
        met_put_open(g->w, "%s", "");
        put_inputs(g, e);
        met_put(g->w, "%s = %s;", name, met_generic_formula(g, e));
        met_put_close(g->w);
        return;
    }
    met_put(g->w, "float %s = 0.0f;", name);
    open_cells(g);
    put_inputs(g, e);
    if (product)
        met_put(g->w, "%s = fmaf(%s, %s, %s);", name, met_generic_formula(g, e->arguments[0]),
                met_generic_formula(g, e->arguments[1]), name);
    else
        met_put(g->w, "%s += %s;", name, met_generic_formula(g, e));
    close_cells(g);
}

static void put_step(met_generic *g)
{
    met_dtype dtype = (met_dtype)g->draft->circuit->edges[g->node->outs[1].id].format.dtype;
    open_cells(g);
    met_put_open(g->w, "%s", "");
    put_inputs(g, g->form.e);
    met_put(g->w, "const float next = %s;", met_generic_formula(g, g->form.e));
    met_put(g->w, "state[%s] = %s;", cell_text(g), met_draft_round(g->draft, dtype, "next"));
    met_put_close(g->w);
    close_cells(g);
}

void met_generic_put_scan(met_generic *g)
{
    uint32_t along = g->form.along, rows = 0;
    uint32_t *loops = MET_NEW_ARRAY(g->arena, uint32_t, g->kept_count);
    for (uint32_t k = 0; k < g->kept_count; k++)
        if (g->kept[k] != along)
            loops[rows++] = g->kept[k];
    int64_t cells = 1;
    for (uint32_t k = 0; k < g->fold_count; k++)
        cells *= g->nest->size[g->folded[k]].value;
    g->draft->scratch_bytes = (size_t)cells * sizeof(float);
    met_put(g->w, "float *state = call->scratch;");
    met_generic_put_units(g, rows, loops);
    open_cells(g);
    met_put(g->w, "state[%s] = %s;", cell_text(g), met_draft_load(g->draft, &g->in[0], met_generic_offset(g, &g->in[0])));
    close_cells(g);
    const char *c = g->nest->counter[along];
    met_put_open(g->w, "for (int64_t %s = 0; %s < %s; %s++)", c, c, g->nest->size[along].name, c);
    if (met_formula_reads(g->form.e, g->node->in_count) || met_formula_reads(g->form.read, g->node->in_count))
        put_sum(g, g->form.recall, "recalled");
    put_step(g);
    put_sum(g, g->form.read, "value");
    met_draft_store(g->draft, &g->out[0], met_generic_offset(g, &g->out[0]), "value");
    met_put_close(g->w);
    open_cells(g);
    met_draft_store(g->draft, &g->out[1], met_generic_offset(g, &g->out[1]), met_format_text(g->arena, "state[%s]", cell_text(g)));
    close_cells(g);
    met_put_close(g->w);
}
