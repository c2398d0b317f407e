/* Environments of definitions: the interface for readers of larger things. */
#include "lang/elaborate.h"

met_lang *met_lang_new(met_builder *b)
{
    met_lang *lang = MET_NEW(met_builder_arena(b), met_lang);
    lang->b = b;
    lang->session = met_builder_session(b);
    lang->arena = met_builder_arena(b);
    lang->defs = met_defs_new(lang, NULL);
    lang->constant_ids = met_map_new(lang->arena);
    return lang;
}

static bool only_definitions(met_lang *lang, const met_program *program)
{
    bool good = true;
    for (uint32_t i = 0; i < program->count; i++) {
        const met_statement *s = &program->at[i];
        bool definition = s->kind == MET_STATEMENT_DEFINE || s->kind == MET_STATEMENT_LET || (s->kind == MET_STATEMENT_BIND && !s->equation);
        if (definition)
            continue;
        met_diag *d = met_diag_add(lang->session, MET_DIAG_syntax, s->span, "only definitions may stand here");
        met_diag_help(d, "equations stand in a definition: name(x: n m) -> y { y = … }");
        good = false;
    }
    return good;
}

bool met_lang_define(met_lang *lang, met_span span)
{
    met_program *program = MET_NEW(lang->arena, met_program);
    bool good = met_parse_program(lang->session, span, program);
    good = met_defs_gather(lang, lang->defs, program, NULL) && good;
    return only_definitions(lang, program) && good;
}

bool met_lang_define_as(met_lang *lang, met_sym name, met_span span)
{
    met_statement *statement = MET_NEW(lang->arena, met_statement);
    return met_parse_definition(lang->session, name, span, statement) &&
           met_defs_add(lang, lang->defs, &statement->names[0], statement);
}

void met_lang_set(met_lang *lang, const met_lang_constant *constant)
{
    met_map_set_pair(lang->constant_ids, constant->name.id, 0, (uint32_t)lang->constants.count);
    MET_PUSH(lang->arena, &lang->constants, *constant);
}

bool met_lang_lookup(const met_lang *lang, met_sym name, met_lang_signature *ret_signature)
{
    met_def *def = met_defs_find(lang->defs, name);
    if (!def || def->statement->kind == MET_STATEMENT_LET)
        return false;
    const met_statement *s = def->statement;
    *ret_signature = (met_lang_signature){ .span = def->span, .typed = s->kind == MET_STATEMENT_DEFINE };
    met_lang_port *ports = MET_NEW_ARRAY(lang->arena, met_lang_port, s->type_count);
    for (uint32_t i = 0; i < s->type_count; i++)
        if (!s->types[i].parameter)
            ports[ret_signature->port_count++] = (met_lang_port){ s->types[i].name, s->types[i].state ? MET_EDGE_STATE : MET_EDGE_INPUT };
    met_sym *outputs = MET_NEW_ARRAY(lang->arena, met_sym, s->output_count);
    for (uint32_t i = 0; i < s->output_count; i++)
        outputs[i] = s->outputs[i].name;
    ret_signature->ports = ports;
    ret_signature->output_count = s->output_count;
    ret_signature->outputs = outputs;
    return true;
}

/* --- Uses --- */

static bool make_use(met_lang *lang, const met_lang_use *use, met_made *ret_made)
{
    met_instance *user = met_instance_new(lang, lang->defs, NULL, use->path);
    met_def *def = met_defs_find(lang->defs, use->definition);
    if (!def || def->statement->kind == MET_STATEMENT_LET) {
        met_unknown_name(user, use->definition, use->span, false);
        return false;
    }
    for (uint32_t i = 0; i < use->constant_count; i++)
        met_instance_add_constant(user, &use->constants[i]);
    bool single = use->repeat_count == 0;
    met_block_spec block = { .open = use->block.id != 0, .name = use->block, .family = use->family, .repeat = use->repeat,
                             .repeat_count = single ? 1 : use->repeat_count };
    if (single)
        block.family = met_builder_family(lang->b);
    return met_instantiate(user, def, use->path, block, NULL, use->span, ret_made);
}

met_term *met_lang_term(met_lang *lang, const met_lang_use *use)
{
    met_made made;
    return make_use(lang, use, &made) ? made.term : NULL;
}

bool met_lang_call(met_lang *lang, met_scope *scope, const met_lang_use *use, uint32_t count, const met_value_id *values,
                   const met_span *spans, uint32_t room, met_value_id *ret_values, uint32_t *ret_count)
{
    met_made made;
    if (!make_use(lang, use, &made))
        return false;
    met_instance *inst = met_instance_new(lang, lang->defs, NULL, use->path);
    inst->scope = scope;
    met_values results = { 0 };
    if (!met_apply_made(inst, &made, count, values, spans, use->span, &results))
        return false;
    if (results.count > room) {
        met_diag_add(lang->session, MET_DIAG_arity, use->span, "`%s` makes %zu arrays, and %u are wanted",
                     met_sym_text(lang->session, use->definition), results.count, room);
        return false;
    }
    for (size_t i = 0; i < results.count; i++)
        ret_values[i] = results.at[i];
    *ret_count = (uint32_t)results.count;
    return true;
}
