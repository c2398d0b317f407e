#include "derive/region_of_circuit.h"

#include "base/text.h"
#include "derive/kernel_parts.h"

typedef struct translator {
    const met_sketch *d;
    uint32_t *value_of; /* region value of a value of the sketch; MET_NONE while there is none */
    MET_VEC(met_region_value) values;
    met_map *names;
    const met_scalar *read; /* while a read is translated: what stands for its table … */
    uint32_t table;         /* … which is this input */
} translator;

/* An edge that is read in two ways is two values: x and x.2. */
static const char *unique_name(translator *x, met_edge_id edge)
{
    met_arena *arena = x->d->arena;
    const char *own = met_sketch_edge(x->d, edge), *name = own;
    uint32_t known;
    for (uint32_t number = 2; met_map_get(x->names, met_str_of(name), &known); number++) {
        met_text text = met_text_new(arena);
        met_text_format(&text, "%s.%u", own, number);
        name = met_text_done(&text);
    }
    met_map_set(x->names, met_str_of(name), 0);
    return name;
}

static uint32_t define(translator *x, uint32_t value, met_region_value region_value)
{
    const met_kernel_value *v = &x->d->values.at[value];
    region_value.name = unique_name(x, v->edge);
    region_value.loops = v->loops;
    region_value.output = v->is_output;
    MET_PUSH(x->d->arena, &x->values, region_value);
    x->value_of[value] = (uint32_t)x->values.count - 1;
    return x->value_of[value];
}

static uint32_t input_of(translator *x, uint32_t value)
{
    const met_edge *edge = &x->d->circuit->edges[x->d->values.at[value].edge.id];
    if (x->value_of[value] != MET_NONE)
        return x->value_of[value];
    return define(x, value, (met_region_value){ .input = true, .parameter = edge->role == MET_EDGE_PARAMETER, .span = edge->span });
}

/* A node's formula over values and loops of the region. */
static const met_scalar *translate(translator *x, uint32_t step, const met_scalar *e)
{
    met_arena *arena = x->d->arena;
    const met_kernel_step *s = &x->d->steps[step];
    if (e->kind == MET_SCALAR_INPUT && x->read && e->input == x->table)
        return x->read;
    if (e->kind == MET_SCALAR_INPUT)
        return met_scalar_input(arena, input_of(x, s->ins[e->input]));
    if (e->kind == MET_SCALAR_INDEX)
        return met_scalar_index(arena, s->loops[e->index]);
    if (e->kind != MET_SCALAR_CALL)
        return e;
    const met_scalar *arguments[3] = { NULL, NULL, NULL };
    for (int i = 0; i < 3; i++)
        if (e->arguments[i])
            arguments[i] = translate(x, step, e->arguments[i]);
    return met_scalar_call(arena, e->fn, arguments[0], arguments[1], arguments[2]);
}

static met_region_fold fold_of(met_monoid monoid)
{
    for (int f = MET_REGION_SUM; f <= MET_REGION_ANY; f++)
        if (met_region_fold_table[f].monoid == monoid)
            return (met_region_fold)f;
    return MET_REGION_NONE;
}

/* Positions of a fold may be left out if a guard of what it reads has a loop that it folds. */
static bool leaves_out(const met_sketch *d, uint32_t step)
{
    const met_kernel_step *s = &d->steps[step];
    for (uint32_t k = 0; k < met_sketch_node(d, step)->in_count; k++) {
        const met_kernel_value *in = &d->values.at[s->ins[k]];
        const met_edge *edge = &d->circuit->edges[in->edge.id];
        for (uint32_t g = 0; g < edge->guard_count; g++)
            if (edge->guards[g].value.id != MET_NONE || in->loops & s->reduced)
                return true;
    }
    return false;
}

/* table[ids] as the sum over the table of what stands at the id. */
static const met_scalar *selection(translator *x, uint32_t step, const met_primitive *form)
{
    met_arena *arena = x->d->arena;
    const met_kernel_step *s = &x->d->steps[step];
    const met_scalar *here = met_scalar_call(arena, MET_FN_eq, met_scalar_index(arena, s->loops[form->read_index]),
                                             met_scalar_input(arena, input_of(x, s->ins[form->ids])), NULL);
    return met_scalar_call(arena, MET_FN_select, here, met_scalar_input(arena, input_of(x, s->ins[form->table])),
                           met_scalar_number(arena, 0));
}

/* table[ids] where the table comes from outside: an input of its own. */
static const met_scalar *found(translator *x, uint32_t step, const met_primitive *form)
{
    const met_kernel_step *s = &x->d->steps[step];
    const met_kernel_value *table = &x->d->values.at[s->ins[form->table]], *ids = &x->d->values.at[s->ins[form->ids]];
    const met_edge *edge = &x->d->circuit->edges[table->edge.id];
    met_region_value value = { .name = unique_name(x, table->edge), .loops = table->loops | ids->loops, .input = true,
                               .parameter = edge->role == MET_EDGE_PARAMETER, .span = edge->span };
    MET_PUSH(x->d->arena, &x->values, value);
    return met_scalar_input(x->d->arena, (uint32_t)x->values.count - 1);
}

static void add_read(translator *x, uint32_t step, const met_primitive *form, met_span span)
{
    const met_kernel_step *s = &x->d->steps[step];
    bool outside = s->loops[form->read_index] == MET_NONE;
    if (outside && form->e->kind == MET_SCALAR_INPUT) {
        define(x, s->outs[0], (met_region_value){ .input = true, .span = span });
        return;
    }
    x->read = outside ? found(x, step, form) : selection(x, step, form);
    x->table = form->table;
    define(x, s->outs[0], (met_region_value){ .fold = s->reduced ? MET_REGION_SUM : MET_REGION_NONE, .reduced = s->reduced,
                                              .guarded = s->reduced && leaves_out(x->d, step), .e = translate(x, step, form->e), .span = span });
    x->read = NULL;
}

/* top_k has a slot loop and two results, argmax one result. */
static void add_pick(translator *x, uint32_t step, const met_primitive *form)
{
    const met_node *node = met_sketch_node(x->d, step);
    const met_kernel_step *s = &x->d->steps[step];
    met_region_value value = { .fold = node->out_count > 1 ? MET_REGION_TOP_K : MET_REGION_ARGMAX, .reduced = s->reduced,
                               .guarded = leaves_out(x->d, step), .e = translate(x, step, form->e), .span = node->span };
    if (node->result_count)
        value.slots = x->d->circuit->axes[node->indices[node->results[0]].axis.id].size;
    for (uint32_t k = 0; k < node->out_count; k++) {
        value.picks_index = k + 1 == node->out_count;
        define(x, s->outs[k], value);
    }
}

static void add_step(translator *x, uint32_t step)
{
    const met_primitive *form = met_sketch_form(x->d, step);
    const met_kernel_step *s = &x->d->steps[step];
    met_span span = met_sketch_node(x->d, step)->span;
    if (form->form == MET_FORM_READ)
        add_read(x, step, form, span);
    else if (form->form == MET_FORM_PICK)
        add_pick(x, step, form);
    else
        define(x, s->outs[0], (met_region_value){ .fold = s->reduced ? fold_of(form->monoid) : MET_REGION_NONE,
                                                  .reduced = s->reduced, .guarded = s->reduced && leaves_out(x->d, step),
                                                  .e = translate(x, step, form->e), .span = span });
}

const met_region *met_region_of_circuit(const met_derivation *derivation, met_arena *arena, uint32_t node_count,
                                        const met_node_id *nodes, met_refusal *ret_refusal)
{
    met_sketch d;
    if (!met_sketch_begin(&d, derivation, arena, node_count, nodes, true, ret_refusal))
        return NULL;
    translator x = { .d = &d, .value_of = MET_NEW_ARRAY(arena, uint32_t, d.values.count), .names = met_map_new(arena) };
    for (uint32_t v = 0; v < d.values.count; v++)
        x.value_of[v] = MET_NONE;
    for (uint32_t s = 0; s < node_count; s++)
        add_step(&x, s);
    if (x.values.count > MET_REGION_VALUES) {
        met_sketch_refuse(&d, 0, NULL, "there are more than %d values", MET_REGION_VALUES);
        return NULL;
    }
    met_region_loop *loops = MET_NEW_ARRAY(arena, met_region_loop, d.loops.count);
    for (uint32_t l = 0; l < d.loops.count; l++)
        loops[l] = (met_region_loop){ met_sketch_loop(&d, l), d.circuit->axes[d.loops.loops[l].axis.id].size };
    met_region *region = MET_NEW(arena, met_region);
    *region = (met_region){ .arena = arena, .loop_count = d.loops.count, .value_count = (uint32_t)x.values.count,
                            .loops = loops, .values = x.values.at, .size_name = met_circuit_size_name,
                            .size_context = (void *)(uintptr_t)d.circuit };
    return region;
}
