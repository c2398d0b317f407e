/* Values: calls with arrays, in the scope of an instance. */
#include "lang/elaborate.h"

met_value_id met_declare_source(met_instance *inst, const met_array_spec *spec)
{
    met_value_id value = met_scope_source(inst->scope, spec);
    if (spec->role != MET_EDGE_PARAMETER) {
        met_lang_port port = { spec->name, spec->role };
        MET_PUSH(inst->lang->arena, &inst->ports, port);
    }
    return value;
}

static bool named_value(met_instance *inst, const met_ast *ast, met_value_id *ret_value)
{
    uint32_t id;
    if (met_instance_find(inst, MET_SPACE_VALUE, ast->name, &id)) {
        ret_value->id = id;
        return id != MET_NONE; /* of an equation that failed: it has been reported */
    }
    if (met_defs_find(inst->defs, ast->name)) {
        met_diag_add(inst->lang->session, MET_DIAG_unknown_name, ast->span, "`%s` is a definition, and an array is wanted here",
                     met_sym_text(inst->lang->session, ast->name));
        return false;
    }
    if (!inst->open) {
        met_unknown_name(inst, ast->name, ast->span, true);
        return false;
    }
    met_array_spec spec = { .name = ast->name, .role = MET_EDGE_INPUT, .any_rank = true, .span = ast->span };
    *ret_value = met_declare_source(inst, &spec);
    met_instance_set(inst, MET_SPACE_VALUE, ast->name, ret_value->id);
    met_instance_set_place(inst, MET_SPACE_VALUE, ast->name, ast->span);
    MET_PUSH(inst->lang->arena, &inst->value_names, met_sym_text(inst->lang->session, ast->name));
    return true;
}

bool met_parameter_value(met_instance *inst, met_sym name, met_span span, met_value_id *ret_value)
{
    met_lang *lang = inst->lang;
    uint32_t id;
    if (met_instance_find(inst, MET_SPACE_PARAMETER, name, &id) && id != MET_NONE) {
        ret_value->id = id;
        return true;
    }
    met_array_spec spec = { .name = met_path_join(lang, inst->path, met_sym_str(lang->session, name)),
                            .role = MET_EDGE_PARAMETER, .any_rank = true, .span = span };
    met_format format;
    if (met_instance_get(inst, MET_SPACE_TYPE, name, &id)) {
        const met_ast_type *type = inst->types.at[id];
        met_axis_id *axes = MET_NEW_ARRAY(lang->arena, met_axis_id, type->labels.count);
        if (!met_make_axes(inst, &type->labels, true, axes) || (type->format && !met_format_of_ast(inst, type->format, &format)))
            return false;
        spec.any_rank = false;
        spec.place = inst->type_places.at[id];
        spec.rank = type->labels.count;
        spec.axes = axes;
        spec.format = type->format ? met_arena_copy(lang->arena, &format, 1, sizeof format) : NULL;
        spec.span = type->name_span;
    }
    *ret_value = met_scope_source(inst->scope, &spec);
    met_instance_set(inst, MET_SPACE_PARAMETER, name, ret_value->id);
    met_instance_set_place(inst, MET_SPACE_PARAMETER, name, span);
    return true;
}

/* One array. */
static bool argument(met_instance *inst, const met_ast *ast, met_value_id *ret_value)
{
    met_values values = { 0 };
    if (!met_elaborate_values(inst, ast, &values))
        return false;
    if (values.count == 1) {
        *ret_value = values.at[0];
        return true;
    }
    met_diag *d = met_diag_add(inst->lang->session, MET_DIAG_arity, ast->span, "this makes %zu arrays where one is wanted", values.count);
    met_diag_help(d, "name them in an equation of its own: a, b = …");
    return false;
}

/* Ops whose first array is a state: its new value is the last that they make. Recurrences also take any other array. */
static const met_op *state_op(const met_instance *inst, const met_ast *call, uint32_t arrays)
{
    const met_op *op = call->callee->kind == MET_AST_OP ? met_op_find(met_sym_str(inst->lang->session, call->callee->name)) : NULL;
    bool keeps = op && (op->id == MET_OP_kv_append || met_op_scans(op));
    return keeps && arrays > 0 ? op : NULL;
}

/* Sets *ret_kept if the first array is a state that the call gives its new value. */
static bool check_state(met_instance *inst, const met_ast *call, const met_op *op, bool *ret_kept)
{
    const met_ast *first = call->items[0];
    uint32_t updated;
    *ret_kept = first->kind == MET_AST_NAME && met_instance_get(inst, MET_SPACE_STATE, first->name, &updated);
    if (!*ret_kept && met_op_scans(op))
        return true;
    if (!*ret_kept) {
        met_diag *d = met_diag_add(inst->lang->session, MET_DIAG_state, first->span, "kv_append extends a state, and this is none");
        met_diag_help(d, "declare it, as in `state kc: p g d`; to join arrays, use concat");
        return false;
    }
    if (updated) {
        met_diag *d = met_diag_add(inst->lang->session, MET_DIAG_state, first->span, "this state gets a second new value");
        met_instance_note_place(inst, MET_SPACE_STATE, first->name, d, "the first is here");
        return false;
    }
    met_instance_set(inst, MET_SPACE_STATE, first->name, 1);
    met_instance_set_place(inst, MET_SPACE_STATE, first->name, first->span);
    return true;
}

bool met_apply_made(met_instance *inst, const met_made *made, uint32_t count, const met_value_id *values, const met_span *spans,
                    met_span span, met_values *ret_values)
{
    met_lang *lang = inst->lang;
    uint32_t ins = met_term_in_count(made->term), outs = met_term_out_count(made->term), states = 0;
    for (uint32_t i = 0; made->ports && i < made->port_count; i++)
        states += made->ports[i].role == MET_EDGE_STATE;
    if (count + states != ins) {
        met_diag *d = met_diag_add(lang->session, MET_DIAG_arity, span, "%u array%s wanted here, and %u given", ins - states,
                                   ins - states == 1 ? " is" : "s are", count);
        if (made->defined.source)
            met_diag_note(d, made->defined, "it is defined here");
        return false;
    }
    met_value_id *all = MET_NEW_ARRAY(lang->arena, met_value_id, ins);
    met_span *places = MET_NEW_ARRAY(lang->arena, met_span, ins);
    uint32_t next = 0;
    for (uint32_t i = 0; i < ins; i++) {
        if (made->ports && i < made->port_count && made->ports[i].role == MET_EDGE_STATE) {
            met_array_spec spec = { .name = made->ports[i].name, .role = MET_EDGE_STATE, .any_rank = true, .span = span };
            all[i] = met_declare_source(inst, &spec);
            places[i] = span;
        } else {
            places[i] = spans ? spans[next] : span;
            all[i] = values[next++];
        }
    }
    met_value_id *results = MET_NEW_ARRAY(lang->arena, met_value_id, outs);
    if (!met_scope_apply(inst->scope, made->term, ins, all, places, span, results))
        return false;
    for (uint32_t i = 0; i < outs; i++)
        MET_PUSH(lang->arena, ret_values, results[i]);
    return true;
}

static bool make_callee(met_instance *inst, const met_ast *call, uint32_t arrays, met_made *ret_made)
{
    const met_ast *callee = call->callee;
    *ret_made = (met_made){ 0 };
    met_def *def = callee->kind == MET_AST_NAME ? met_defs_find(inst->defs, callee->name) : NULL;
    if (def && def->statement->kind != MET_STATEMENT_LET) {
        met_block_spec block = { true, def->name, met_builder_family(inst->lang->b), 0, 1 };
        return met_instantiate(inst, def, met_instance_use_path(inst, def->name), block, call, call->span, ret_made);
    }
    if (callee->kind == MET_AST_NAME && met_rearrangement_of(inst->lang, callee->name) != MET_NOT_ONE)
        ret_made->term = met_elaborate_term(inst, callee);
    else
        ret_made->term = met_make_op(inst, callee, call, arrays);
    return ret_made->term != NULL;
}

/* Said before the arguments are looked at, so that an error in them does not hide it. */
static bool callee_known(met_instance *inst, const met_ast *callee)
{
    const met_lang *lang = inst->lang;
    if (callee->kind == MET_AST_STRING || met_op_find(met_sym_str(lang->session, callee->name)) ||
        met_defs_find(inst->defs, callee->name) || met_rearrangement_of(lang, callee->name) != MET_NOT_ONE)
        return true;
    met_unknown_name(inst, callee->name, callee->span, false);
    return false;
}

/* Labels name positions, whatever the axis there is called. Where the array also has the axis that this label introduced,
 * somewhere else, that is worth a word: the label was probably meant to find it. */
static void note_misplaced_labels(met_instance *inst, const met_ast *call, const met_made *made, uint32_t count, const met_value_id *values)
{
    met_lang *lang = inst->lang;
    const met_index *labels;
    uint32_t label_count = met_term_labels(made->term, &labels), first;
    for (uint32_t i = 0; call->callee->kind == MET_AST_OP && i < label_count; i++) {
        if (!met_instance_find(inst, MET_SPACE_LABEL, labels[i].label, &first) ||
            met_builder_same_axis(lang->b, (met_axis_id){ first }, labels[i].axis))
            continue;
        const char *name = met_sym_text(lang->session, labels[i].label);
        for (uint32_t v = 0; v < count; v++) {
            if (!met_scope_value_has(inst->scope, values[v], (met_axis_id){ first }) ||
                !met_scope_value_has(inst->scope, values[v], labels[i].axis))
                continue;
            met_diag *d = met_diag_add(lang->session, MET_DIAG_note, call->callee->span,
                                       "`%s` names a position here, and the axis that was first called `%s` is at another one", name, name);
            met_diag_help(d, "labels name the last positions; [shape; targets] names them anywhere");
            return;
        }
    }
}

static bool call_values(met_instance *inst, const met_ast *call, met_values *ret_values)
{
    met_lang *lang = inst->lang;
    uint32_t arrays = met_call_arrays(lang, inst->defs, call, met_instance_is_value, inst);
    met_value_id *values = MET_NEW_ARRAY(lang->arena, met_value_id, arrays);
    met_span *spans = MET_NEW_ARRAY(lang->arena, met_span, arrays);
    bool good = callee_known(inst, call->callee);
    for (uint32_t i = 0; i < arrays; i++) {
        good = argument(inst, call->items[i], &values[i]) && good;
        spans[i] = call->items[i]->span;
    }
    const met_op *op = state_op(inst, call, arrays);
    bool kept = false;
    if (good && op)
        good = check_state(inst, call, op, &kept);
    met_made made;
    if (!good || !make_callee(inst, call, arrays, &made) ||
        !met_apply_made(inst, &made, arrays, values, spans, call->span, ret_values))
        return false;
    note_misplaced_labels(inst, call, &made, arrays, values);
    if (kept && ret_values->count)
        met_scope_state(inst->scope, values[0], ret_values->at[ret_values->count - 1]);
    return true;
}

bool met_elaborate_values(met_instance *inst, const met_ast *ast, met_values *ret_values)
{
    met_value_id value;
    if (ast->kind == MET_AST_CALL)
        return call_values(inst, ast, ret_values);
    bool good = false;
    if (ast->kind == MET_AST_NAME) {
        good = named_value(inst, ast, &value);
    } else if (ast->kind == MET_AST_PARAMETER) {
        good = met_parameter_value(inst, ast->name, ast->span, &value);
    } else {
        met_diag *d = met_diag_add(inst->lang->session, MET_DIAG_syntax, ast->span, "this is not an array");
        met_diag_help(d, "arrays are names, @parameters and calls; element-wise arithmetic is written add(a, b), mul(a, b) or map");
    }
    if (good)
        MET_PUSH(inst->lang->arena, ret_values, value);
    return good;
}
