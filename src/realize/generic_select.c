/* Reads by an id, and the best of a row. */
#include "realize/generic.h"

void met_generic_place_id(met_generic *g)
{
    const met_edge *edge = &g->draft->circuit->edges[g->in[g->form.table].edge.id];
    int64_t length = met_nest_dim(g->nest, met_edge_dim(g->draft->circuit, edge, g->form.read_position)), stride = 1;
    for (uint32_t p = g->form.read_position + 1; p < edge->rank; p++)
        stride *= met_nest_dim(g->nest, met_edge_dim(g->draft->circuit, edge, p));
    g->id_count = met_argument(g->w, length, "ids").name;
    g->id_step = met_argument(g->w, stride, "step").name;
}

void met_generic_put_id(const met_generic *g)
{
    const met_site *ids = &g->in[g->form.ids];
    const char *inside = met_generic_all(g, &ids->inside), *offset = met_generic_offset(g, ids);
    if (inside)
        met_put(g->w, "const int64_t id = %s ? (int64_t)%s[%s] : -1;", inside, ids->array, offset);
    else
        met_put(g->w, "const int64_t id = (int64_t)%s[%s];", ids->array, offset);
}

const char *met_generic_id_holds(const met_generic *g)
{
    return met_format_text(g->arena, "id >= 0 && id < %s", g->id_count);
}

const char *met_generic_id_offset(const met_generic *g)
{
    return met_format_text(g->arena, "%s + id * %s", met_generic_offset(g, &g->in[g->form.table]), g->id_step);
}

/* The element of the table at the id, 0 if there is none. */
void met_generic_put_read(met_generic *g)
{
    const met_site *table = &g->in[g->form.table];
    met_generic_put_units(g, g->kept_count, g->kept);
    const char *there = met_generic_all(g, &table->inside);
    const char *affine = met_generic_all(g, &g->out_gates.affine), *valued = met_generic_valued(g, &g->out_gates);
    met_generic_put_id(g);
    met_put(g->w, "float value = 0.0f;");
    met_put_open(g->w, "if (%s)", met_generic_both(g, met_generic_id_holds(g), there));
    met_put(g->w, "value = %s;", met_draft_load(g->draft, table, met_generic_id_offset(g)));
    met_put_close(g->w);
    if (affine || valued) {
        met_put_open(g->w, "if (!(%s))", met_generic_both(g, affine, valued));
        met_put(g->w, "value = %s;", met_draft_unit(g->draft, g->node->outs[0]));
        met_put_close(g->w);
    }
    met_draft_store(g->draft, &g->out[0], met_generic_offset(g, &g->out[0]), "value");
    met_put_close(g->w);
}

/* The kept loop that counts what is picked; MET_NONE if only the best is. */
uint32_t met_generic_rank(const met_generic *g)
{
    for (uint32_t k = 0; k < g->kept_count; k++)
        if (g->node->indices[g->kept[k]].target)
            return g->kept[k];
    return MET_NONE;
}

static void put_best(met_generic *g)
{
    uint32_t last = g->folded[g->fold_count - 1];
    met_put(g->w, "int64_t best = -1, item = 0;");
    met_put(g->w, "float top = 0.0f;");
    for (uint32_t k = 0; k < g->fold_count; k++) {
        const char *c = g->nest->counter[g->folded[k]];
        met_put_open(g->w, "for (int64_t %s = 0; %s < %s; %s%s++)", c, c, g->nest->size[g->folded[k]].name,
                     g->folded[k] == last ? "item++, " : "", c);
    }
    const char *inside = met_generic_all(g, &g->in[0].inside);
    const char *affine = met_generic_all(g, &g->in_gates.affine), *valued = met_generic_valued(g, &g->in_gates);
    const char *parts[] = { inside, affine, valued };
    met_text live = met_text_new(g->arena);
    for (int k = 0; k < 3; k++)
        met_text_format(&live, "%s%s", parts[k] ? " && " : "", parts[k] ? parts[k] : "");
    met_put_open(g->w, "if (!gone[item]%s)", met_text_done(&live));
    met_put(g->w, "const float a0 = %s;", met_draft_load(g->draft, &g->in[0], met_generic_offset(g, &g->in[0])));
    met_put_open(g->w, "if (best < 0 || (isnan(a0) ? !isnan(top) : a0 > top))");
    met_put(g->w, "best = item;");
    met_put(g->w, "top = a0;");
    met_put_close(g->w);
    met_put_close(g->w);
    for (uint32_t k = 0; k < g->fold_count; k++)
        met_put_close(g->w);
    met_put_open(g->w, "if (best >= 0)");
    met_put(g->w, "gone[best] = 1;");
    met_put_close(g->w);
}

void met_generic_put_pick(met_generic *g)
{
    uint32_t rank = met_generic_rank(g), rows = 0;
    uint32_t *loops = MET_NEW_ARRAY(g->arena, uint32_t, g->kept_count);
    for (uint32_t k = 0; k < g->kept_count; k++)
        if (g->kept[k] != rank)
            loops[rows++] = g->kept[k];
    int64_t count = 1;
    for (uint32_t k = 0; k < g->fold_count; k++)
        count *= g->nest->size[g->folded[k]].value;
    met_number items = met_argument(g->w, count, "items");
    g->draft->scratch_bytes = (size_t)count;
    met_put(g->w, "unsigned char *gone = call->scratch;");
    met_generic_put_units(g, rows, loops);
    met_put(g->w, "memset(gone, 0, (size_t)%s);", items.name);
    if (rank != MET_NONE) {
        const char *c = g->nest->counter[rank];
        met_put_open(g->w, "for (int64_t %s = 0; %s < %s; %s++)", c, c, g->nest->size[rank].name, c);
    }
    put_best(g);
    const met_site *where = &g->out[g->node->out_count - 1];
    if (g->node->out_count > 1)
        met_draft_store(g->draft, &g->out[0], met_generic_offset(g, &g->out[0]), "best < 0 ? -INFINITY : top");
    met_put(g->w, "%s[%s] = (int32_t)best;", where->array, met_generic_offset(g, where));
    if (rank != MET_NONE)
        met_put_close(g->w);
    met_put_close(g->w);
}
