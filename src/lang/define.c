/* Instances of definitions, and the statements in them. */
#include "lang/elaborate.h"

/* --- Types --- */

static bool new_value(met_instance *inst, met_sym name, met_span span, met_value_id value)
{
    uint32_t ignored;
    if (met_instance_get(inst, MET_SPACE_VALUE, name, &ignored)) {
        met_diag *d = met_diag_add(inst->lang->session, MET_DIAG_duplicate_name, span, "`%s` already has a value",
                                   met_sym_text(inst->lang->session, name));
        met_instance_note_place(inst, MET_SPACE_VALUE, name, d, "the first is here");
        met_diag_help(d, "every name is given a value once, before it is read");
        return false;
    }
    met_instance_set(inst, MET_SPACE_VALUE, name, value.id);
    met_instance_set_place(inst, MET_SPACE_VALUE, name, span);
    MET_PUSH(inst->lang->arena, &inst->value_names, met_sym_text(inst->lang->session, name));
    return true;
}

static bool declare_parameter(met_instance *inst, const met_ast_type *type)
{
    uint32_t id;
    const char *name = met_sym_text(inst->lang->session, type->name);
    if (met_instance_get(inst, MET_SPACE_TYPE, type->name, &id)) {
        met_diag *d = met_diag_add(inst->lang->session, MET_DIAG_duplicate_name, type->name_span, "`@%s` already has a type", name);
        met_diag_note(d, inst->types.at[id]->name_span, "the first is here");
        return false;
    }
    if (met_instance_get(inst, MET_SPACE_PARAMETER, type->name, &id)) {
        met_diag *d = met_diag_add(inst->lang->session, MET_DIAG_duplicate_name, type->name_span, "`@%s` gets a type after its use", name);
        met_instance_note_place(inst, MET_SPACE_PARAMETER, type->name, d, "it is used here");
        met_diag_help(d, "state the type of a parameter before its first use");
        return false;
    }
    met_instance_set(inst, MET_SPACE_TYPE, type->name, (uint32_t)inst->types.count);
    MET_PUSH(inst->lang->arena, &inst->types, type);
    MET_PUSH(inst->lang->arena, &inst->type_places, met_builder_place(inst->lang->b));
    return true;
}

static bool declare_input(met_instance *inst, const met_ast_type *type)
{
    met_lang *lang = inst->lang;
    met_axis_id *axes = MET_NEW_ARRAY(lang->arena, met_axis_id, type->labels.count);
    met_format format;
    if (type->labels.count > 24) {
        met_diag_add(lang->session, MET_DIAG_rank, type->labels.span, "an array has up to 24 axes");
        return false;
    }
    if (!met_make_axes(inst, &type->labels, true, axes) || (type->format && !met_format_of_ast(inst, type->format, &format)))
        return false;
    met_sym name = type->state ? met_path_join(lang, inst->path, met_sym_str(lang->session, type->name)) : type->name;
    met_array_spec spec = { .name = name,
                            .role = type->state ? MET_EDGE_STATE : MET_EDGE_INPUT,
                            .rank = type->labels.count,
                            .axes = axes,
                            .format = type->format ? met_arena_copy(lang->arena, &format, 1, sizeof format) : NULL,
                            .span = type->name_span };
    uint32_t ignored;
    bool taken = met_instance_get(inst, MET_SPACE_VALUE, type->name, &ignored);
    met_value_id value = taken ? (met_value_id){ 0 } : met_declare_source(inst, &spec);
    if (!new_value(inst, type->name, type->name_span, value))
        return false;
    if (type->state)
        met_instance_set(inst, MET_SPACE_STATE, type->name, 0);
    return true;
}

bool met_declare_types(met_instance *inst, const met_statement *statement, bool inputs_allowed)
{
    bool good = true;
    for (uint32_t i = 0; i < statement->type_count; i++) {
        const met_ast_type *type = &statement->types[i];
        if (type->parameter) {
            good = declare_parameter(inst, type) && good;
        } else if (!inputs_allowed) {
            met_diag_add(inst->lang->session, MET_DIAG_syntax, type->name_span, "inputs of a definition stand in its header");
            good = false;
        } else {
            good = declare_input(inst, type) && good;
        }
    }
    return good;
}

/* --- Equations --- */

/* The formats after a colon: what the values are stored in, whatever the op ties. */
static bool store_formats(met_instance *inst, const met_statement *s, const met_values *values)
{
    met_format format;
    for (uint32_t i = 0; s->formats && i < s->name_count; i++) {
        if (!met_format_of_ast(inst, s->formats[i], &format) ||
            !met_scope_store(inst->scope, values->at[i], format, s->formats[i]->span))
            return false;
    }
    return true;
}

static bool run_equation(met_instance *inst, const met_statement *s)
{
    met_lang *lang = inst->lang;
    met_values values = { 0 };
    inst->stored = s->formats ? s->value : NULL;
    bool good = met_elaborate_values(inst, s->value, &values);
    inst->stored = NULL;
    if (good && s->kind == MET_STATEMENT_BIND && values.count != s->name_count) {
        met_diag *d = met_diag_add(lang->session, MET_DIAG_arity, s->names[0].span, "%u name%s for %zu array%s", s->name_count,
                                   s->name_count == 1 ? "" : "s", values.count, values.count == 1 ? "" : "s");
        met_diag_note(d, s->value->span, "this makes %zu", values.count);
        good = false;
    }
    good = good && store_formats(inst, s, &values);
    for (uint32_t i = 0; good && i < s->name_count; i++) {
        met_sym full = met_path_join(lang, inst->path, met_sym_str(lang->session, s->names[i].name));
        good = new_value(inst, s->names[i].name, s->names[i].span, values.at[i]);
        if (good)
            met_scope_name_value(inst->scope, values.at[i], full);
    }
    if (!good) { /* so that the names are not reported as unknown again and again */
        for (uint32_t i = 0; i < s->name_count; i++)
            met_instance_set(inst, MET_SPACE_VALUE, s->names[i].name, MET_NONE);
        return false;
    }
    inst->last.count = 0;
    for (size_t i = 0; i < values.count; i++)
        MET_PUSH(lang->arena, &inst->last, values.at[i]);
    return true;
}

static bool check_states(met_instance *inst, const met_statement *header)
{
    bool good = true;
    for (uint32_t i = 0; i < header->type_count; i++) {
        uint32_t updated = 0;
        const met_ast_type *type = &header->types[i];
        if (!type->state)
            continue;
        met_instance_get(inst, MET_SPACE_STATE, type->name, &updated);
        if (updated)
            continue;
        met_diag *d = met_diag_add(inst->lang->session, MET_DIAG_state, type->name_span, "this state never gets a new value");
        met_diag_help(d, "kv_append[labels](%s, new) gives it one, and so does a recurrence", met_sym_text(inst->lang->session, type->name));
        good = false;
    }
    return good;
}

bool met_run_statements(met_instance *inst, const met_program *program)
{
    bool good = true;
    for (uint32_t i = 0; i < program->count; i++) {
        const met_statement *s = &program->at[i];
        if (s->kind == MET_STATEMENT_TYPES)
            good = met_declare_types(inst, s, inst->open) && good;
        else if ((s->kind == MET_STATEMENT_BIND || s->kind == MET_STATEMENT_BARE) && s->equation)
            good = run_equation(inst, s) && good;
    }
    for (uint32_t i = 0; good && i < program->count; i++)
        if (program->at[i].kind == MET_STATEMENT_TYPES)
            good = check_states(inst, &program->at[i]);
    return good;
}

/* --- Definitions with a body --- */

const met_statement *met_outputs_of(const met_program *program)
{
    for (uint32_t i = 0; i < program->count; i++)
        if (program->at[i].kind == MET_STATEMENT_OUTPUTS)
            return &program->at[i];
    return NULL;
}

bool met_collect_outputs(met_instance *inst, uint32_t count, const met_ast_name *names, met_values *ret_values)
{
    bool good = true;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t id;
        if (met_instance_find(inst, MET_SPACE_VALUE, names[i].name, &id)) {
            met_value_id value = { id };
            MET_PUSH(inst->lang->arena, ret_values, value);
        } else if (met_instance_get(inst, MET_SPACE_TYPE, names[i].name, &id)) { /* a parameter, passed on as it is */
            met_value_id value;
            good = met_parameter_value(inst, names[i].name, names[i].span, &value) && good;
            if (good)
                MET_PUSH(inst->lang->arena, ret_values, value);
        } else {
            const char *name = met_sym_text(inst->lang->session, names[i].name);
            met_diag *d = met_diag_add(inst->lang->session, MET_DIAG_unknown_name, names[i].span, "the output `%s` is given no value", name);
            const char *near = met_nearest(met_str_of(name), inst->value_names.at, inst->value_names.count);
            if (near)
                met_diag_help(d, "did you mean `%s`?", near);
            else
                met_diag_help(d, "write an equation for it: %s = …", name);
            good = false;
        }
    }
    return good;
}

static bool run_body(met_instance *inst, met_def *def, met_made *ret_made)
{
    const met_statement *s = def->statement;
    met_program body = s->body;
    inst->scope = met_scope_new(inst->lang->b);
    inst->defs = met_defs_new(inst->lang, def->home);
    if (!met_defs_gather(inst->lang, inst->defs, &body, s) || !met_declare_types(inst, s, true) || !met_run_statements(inst, &body))
        return false;
    met_values outs = { 0 };
    const met_statement *named = met_outputs_of(&body);
    bool good = s->has_outputs ? met_collect_outputs(inst, s->output_count, s->outputs, &outs)
                : named        ? met_collect_outputs(inst, named->name_count, named->names, &outs)
                               : true;
    for (size_t i = 0; !s->has_outputs && !named && i < inst->last.count; i++)
        MET_PUSH(inst->lang->arena, &outs, inst->last.at[i]);
    if (good && outs.count == 0) {
        met_diag_add(inst->lang->session, MET_DIAG_arity, def->span, "this definition has no outputs");
        return false;
    }
    if (!good || !check_states(inst, s))
        return false;
    ret_made->term = met_scope_close(inst->scope, (uint32_t)outs.count, outs.at);
    ret_made->port_count = (uint32_t)inst->ports.count;
    ret_made->ports = inst->ports.at;
    return ret_made->term != NULL;
}

static bool recursion(met_instance *user, met_def *def, met_span span)
{
    met_lang *lang = user->lang;
    if (def->busy) {
        met_diag *d = met_diag_add(lang->session, MET_DIAG_recursion, span, "`%s` contains itself", met_sym_text(lang->session, def->name));
        met_diag_note(d, def->span, "it is defined here");
        return true;
    }
    if (lang->depth >= MET_LANG_DEPTH) {
        met_diag_add(lang->session, MET_DIAG_too_deep, span, "definitions within definitions, too many");
        return true;
    }
    return false;
}

bool met_instantiate(met_instance *user, met_def *def, met_sym path, met_block_spec block, const met_ast *call, met_span span,
                     met_made *ret_made)
{
    met_lang *lang = user->lang;
    *ret_made = (met_made){ .defined = def->span };
    if (recursion(user, def, span) || !met_afford(lang, met_cost_def(user, def), span))
        return false;
    met_instance *inst = met_instance_new(lang, def->home, user, path);
    if (!met_call_constants(user, inst, call))
        return false;
    def->busy = true;
    lang->depth++;
    met_block_id id = { MET_NONE };
    if (block.open)
        id = met_builder_open_block(lang->b, block.name, block.family, block.repeat, block.repeat_count);
    bool good;
    if (def->statement->kind == MET_STATEMENT_DEFINE) {
        good = run_body(inst, def, ret_made);
    } else {
        ret_made->term = met_elaborate_term(inst, def->statement->value);
        good = ret_made->term != NULL;
    }
    if (block.open)
        met_builder_close_block(lang->b, id);
    lang->depth--;
    def->busy = false;
    lang->made++;
    return good;
}
