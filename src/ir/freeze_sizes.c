/* Freezing, the sizes: expressions are resolved, the symbols that are left get ids and names, axes get theirs. */
#include "base/diag.h"
#include "ir/freeze_parts.h"
#include "ir/rewrite.h"

typedef struct symbol_list {
    met_freezer *f;
    uint32_t at[MET_DIM_TERMS * 4];
    uint32_t count;
} symbol_list;

static void collect_symbol(void *context, met_size symbol)
{
    symbol_list *list = context;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->at[i] == symbol.id)
            return;
    if (list->count < sizeof list->at / sizeof *list->at)
        list->at[list->count++] = symbol.id;
}

static int by_name(const met_freezer *f, uint32_t a, uint32_t b)
{
    met_session *session = f->b->session;
    int order = met_str_compare(met_sym_str(session, met_name_base(session, f->b->symbols.at[a].name)),
                                met_sym_str(session, met_name_base(session, f->b->symbols.at[b].name)));
    return order ? order : a < b ? -1 : a > b;
}

/* Gives the symbols of an expression their ids, in alphabetical order within the expression. */
static void number_symbols(met_freezer *f, const met_dim *dim)
{
    symbol_list list = { .f = f };
    met_dim_symbols(dim, collect_symbol, &list);
    for (uint32_t i = 1; i < list.count; i++)
        for (uint32_t j = i; j > 0 && by_name(f, list.at[j - 1], list.at[j]) > 0; j--) {
            uint32_t swap = list.at[j];
            list.at[j] = list.at[j - 1];
            list.at[j - 1] = swap;
        }
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t draft = list.at[i];
        if (f->symbol_ids[draft])
            continue;
        met_sym name = f->b->symbols.at[draft].name;
        met_symbol symbol = { met_namer_unique(f->symbol_names, name), met_name_base(f->b->session, name), NULL };
        MET_PUSH(f->arena, &f->symbols, symbol);
        f->symbol_ids[draft] = (uint32_t)f->symbols.count;
    }
}

static const met_dim *final_symbol(void *context, met_size symbol)
{
    met_freezer *f = context;
    if (f->symbol_ids[symbol.id] == 0)
        number_symbols(f, met_dim_symbol(f->arena, symbol));
    return met_dim_symbol(f->arena, (met_size){ f->symbol_ids[symbol.id] - 1 });
}

static void number_edge_symbols(met_freezer *f, const met_edge *edge)
{
    for (uint32_t i = 0; i < edge->rank; i++)
        number_symbols(f, f->axes.at[edge->axes[i].id].size);
}

bool met_freeze_sizes(met_freezer *f)
{
    met_circuit *c = f->circuit;
    for (size_t i = 0; i < f->axes.count; i++) {
        const met_dim *size = met_draft_resolve(f->b, f->axes.at[i].size);
        if (!size) {
            met_diag_add(f->b->session, MET_DIAG_size, f->axes.at[i].span, "the size of axis `%s` is too large an expression",
                         met_sym_text(f->b->session, f->axes.at[i].name));
            return false;
        }
        f->axes.at[i].size = size;
    }
    /* An input that was declared `x: n m=64` keeps its name: a free size that is called m too becomes m.2. */
    for (uint32_t i = 0; i < c->input_count; i++) {
        const met_edge *edge = &f->edges.at[c->inputs[i].id];
        for (uint32_t p = 0; p < edge->rank; p++)
            if (met_dim_is_constant(f->axes.at[edge->axes[p].id].size, NULL))
                met_namer_take(f->symbol_names, f->axes.at[edge->axes[p].id].label);
    }
    for (uint32_t i = 0; i < c->input_count; i++)
        number_edge_symbols(f, &f->edges.at[c->inputs[i].id]);
    for (uint32_t i = 0; i < c->output_count; i++)
        number_edge_symbols(f, &f->edges.at[c->outputs[i].id]);
    for (size_t i = 0; i < f->edges.count; i++)
        number_edge_symbols(f, &f->edges.at[i]);
    for (size_t i = 0; i < f->axes.count; i++)
        number_symbols(f, f->axes.at[i].size);
    return true;
}

static const met_dim *resolved_symbol(void *context, met_size symbol)
{
    met_freezer *f = context;
    const met_dim *value = f->b->symbols.at[symbol.id].value;
    return value ? met_draft_resolve(f->b, value) : NULL;
}

/* The axes' names are as written so far. An axis is called like its size where it can be, and like no other axis' size, so that d.2 means one thing. */
static void name_axes(met_freezer *f)
{
    bool *named = MET_NEW_ARRAY(f->arena, bool, f->axes.count);
    for (size_t i = 0; i < f->axes.count; i++) {
        met_axis *axis = &f->axes.at[i];
        met_size symbol;
        bool own = met_dim_is_symbol(axis->size, &symbol) && f->symbols.at[symbol.id].label.id == axis->label.id;
        named[i] = own && met_namer_take(f->axis_names, f->symbols.at[symbol.id].name);
        if (named[i])
            axis->name = f->symbols.at[symbol.id].name;
    }
    for (size_t s = 0; s < f->symbols.count; s++)
        met_namer_take(f->axis_names, f->symbols.at[s].name);
    for (size_t i = 0; i < f->axes.count; i++) /* d.2 as written; then no listing changes when it is read back */
        if (!named[i] && f->axes.at[i].name.id != f->axes.at[i].label.id)
            named[i] = met_namer_take(f->axis_names, f->axes.at[i].name);
    for (size_t i = 0; i < f->axes.count; i++)
        if (!named[i])
            f->axes.at[i].name = met_namer_unique(f->axis_names, f->axes.at[i].label);
}

bool met_freeze_rewrite(met_freezer *f, met_node *nodes)
{
    met_rewrite resolve = { f->b->session, resolved_symbol, f, false };
    met_rewrite number = { f->b->session, final_symbol, f, false };
    for (size_t i = 0; i < f->axes.count; i++)
        f->axes.at[i].size = met_rewrite_dim(&number, f->axes.at[i].size);
    for (uint32_t n = 0; n < f->circuit->node_count; n++) {
        met_rewrite_node(&resolve, &nodes[n]);
        met_rewrite_node(&number, &nodes[n]);
    }
    name_axes(f);
    if (resolve.overflow || number.overflow)
        met_diag_add(f->b->session, MET_DIAG_size, (met_span){ 0 }, "a size does not fit 64 bits");
    return !resolve.overflow && !number.overflow;
}
