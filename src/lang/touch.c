/* Sizes of an op's own labels that its formulas mention. They are known by name before the labels are met, so that the
 * labels take them: map['h x -> h x']({ a*x }) means the size of this x. */
#include "lang/elaborate.h"

static const met_ast_label *find_label(const met_ast_labels *labels, met_sym name)
{
    for (uint32_t i = 0; i < labels->count; i++)
        if (labels->at[i].name.id == name.id)
            return &labels->at[i];
    return NULL;
}

static const met_ast_label *find_in_arrays(uint32_t count, const met_ast_items *arrays, met_sym name)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < arrays[i].count; j++)
            if (!arrays[i].at[j].affine && arrays[i].at[j].label.name.id == name.id)
                return &arrays[i].at[j].label;
    return NULL;
}

static const met_ast_label *own_label(const met_ast *callee, met_sym name)
{
    const met_ast_brackets *brackets = callee->kind == MET_AST_OP ? callee->brackets : NULL;
    const met_ast_signature *s = callee->kind == MET_AST_STRING ? callee->signature : brackets ? brackets->signature : NULL;
    const met_ast_label *label = s ? find_in_arrays(s->in_count, s->ins, name) : NULL;
    if (s)
        return label ? label : find_in_arrays(s->out_count, s->outs, name);
    label = brackets ? find_label(&brackets->shape, name) : NULL;
    label = label || !brackets ? label : find_label(&brackets->targets, name);
    for (uint32_t i = 0; brackets && i < brackets->result_count && !label; i++)
        label = find_label(&brackets->results[i], name);
    return label;
}

static bool touch_label(met_instance *inst, const met_ast_label *label)
{
    uint32_t ignored;
    if (!label->size || met_instance_find(inst, MET_SPACE_LABEL, label->name, &ignored))
        return met_size_by_name(inst, label->name, label->span) != NULL;
    const met_dim *size = met_size_of(inst, label->size);
    met_instance_set(inst, MET_SPACE_SIZE, label->name, (uint32_t)inst->sizes.count);
    MET_PUSH(inst->lang->arena, &inst->sizes, size);
    return size != NULL;
}

static bool touch_formula(met_instance *inst, const met_ast *callee, const met_ast *ast)
{
    const met_ast_label *label = ast->kind == MET_AST_NAME ? own_label(callee, ast->name) : NULL;
    bool done = !label || touch_label(inst, label);
    for (uint32_t i = 0; i < ast->count; i++)
        done &= touch_formula(inst, callee, ast->items[i]);
    return done;
}

bool met_touch_formulas(met_instance *inst, const met_ast *callee, const met_ast *call, uint32_t arrays)
{
    bool done = true;
    for (uint32_t i = arrays; i < call->count; i++)
        done &= touch_formula(inst, callee, call->items[i]);
    for (uint32_t i = 0; i < call->option_count; i++)
        done &= touch_formula(inst, callee, call->options[i].value);
    return done;
}
