/* Programs: which part of a text is the circuit. */
#include <string.h>

#include "lang/elaborate.h"
#include "met/term.h"

typedef struct result {
    met_term *term;
    met_sym name;
} result;

/* A definition as the circuit; inputs declared outside it are what it is applied to. */
static bool from_definition(met_instance *inst, met_def *def, result *ret)
{
    met_lang *lang = inst->lang;
    met_made made;
    met_sym none = { 0 };
    if (def->statement->kind == MET_STATEMENT_LET) {
        met_diag_add(lang->session, MET_DIAG_unknown_name, def->span, "`%s` is a size, not a circuit", met_sym_text(lang->session, def->name));
        return false;
    }
    if (!met_instantiate(inst, def, none, (met_block_spec){ 0 }, NULL, def->span, &made))
        return false;
    ret->name = def->name;
    ret->term = made.term;
    uint32_t count = (uint32_t)inst->ports.count;
    if (count == 0)
        return true;
    met_value_id *values = MET_NEW_ARRAY(lang->arena, met_value_id, count);
    for (uint32_t i = 0; i < count; i++)
        values[i].id = i; /* the scope holds nothing but its sources, in order */
    met_values outs = { 0 };
    if (!met_apply_made(inst, &made, count, values, NULL, def->span, &outs))
        return false;
    ret->term = met_scope_close(inst->scope, (uint32_t)outs.count, outs.at);
    return ret->term != NULL;
}

static bool from_values(met_instance *inst, uint32_t count, const met_value_id *outs, result *ret)
{
    ret->term = met_scope_close(inst->scope, count, outs);
    ret->name = met_intern(inst->lang->session, met_str_of("main"));
    return ret->term != NULL;
}

static bool from_outputs(met_instance *inst, const met_statement *s, result *ret)
{
    uint32_t ignored;
    met_def *def = s->name_count == 1 ? met_defs_find(inst->defs, s->names[0].name) : NULL;
    if (def && !met_instance_find(inst, MET_SPACE_VALUE, s->names[0].name, &ignored))
        return from_definition(inst, def, ret);
    met_values outs = { 0 };
    return met_collect_outputs(inst, s->name_count, s->names, &outs) && from_values(inst, (uint32_t)outs.count, outs.at, ret);
}

/* The definition marked `circuit`, or NULL. */
static met_def *marked(met_instance *inst, const met_program *program)
{
    met_def *found = NULL;
    for (uint32_t i = 0; i < program->count; i++) {
        const met_statement *s = &program->at[i];
        if (!s->circuit)
            continue;
        if (found) {
            met_diag *d = met_diag_add(inst->lang->session, MET_DIAG_duplicate_name, s->names[0].span, "a program has one circuit, and this is the second");
            met_diag_note(d, found->span, "the first is here");
        }
        found = met_defs_find(inst->defs, s->names[0].name);
    }
    return found;
}

/* A term without a name, as a definition. */
static met_def *bare_definition(met_lang *lang, const met_statement *s, met_defs *home)
{
    met_def *def = MET_NEW(lang->arena, met_def);
    *def = (met_def){ .name = met_intern(lang->session, met_str_of("main")), .span = s->span, .statement = s, .home = home };
    return def;
}

static met_def *last_definition(met_instance *inst, const met_program *program)
{
    for (uint32_t i = program->count; i-- > 0;) {
        const met_statement *s = &program->at[i];
        if (s->kind == MET_STATEMENT_BARE && !s->equation)
            return bare_definition(inst->lang, s, inst->defs);
        if (s->kind == MET_STATEMENT_DEFINE || (s->kind == MET_STATEMENT_BIND && !s->equation))
            return met_defs_find(inst->defs, s->names[0].name);
    }
    return NULL;
}

/* A bare term is the circuit, so nothing else may be. */
static bool bare_terms_fit(met_instance *inst, const met_program *program)
{
    const met_statement *bare = NULL, *other = met_outputs_of(program);
    for (uint32_t i = 0; i < program->count; i++) {
        const met_statement *s = &program->at[i];
        bool term = s->kind == MET_STATEMENT_BARE && !s->equation;
        if (term && !bare)
            bare = s;
        else if (!other && (term || s->equation || s->circuit))
            other = s;
    }
    if (!bare || !other)
        return true;
    met_diag *d = met_diag_add(inst->lang->session, MET_DIAG_syntax, bare->span, "a term without a name, in a program with other results");
    met_diag_note(d, other->span, "another result is here");
    met_diag_help(d, "give it a name: name = term");
    return false;
}

static bool one_outputs(met_instance *inst, const met_program *program)
{
    const met_statement *first = met_outputs_of(program);
    for (uint32_t i = 0; i < program->count; i++) {
        if (program->at[i].kind != MET_STATEMENT_OUTPUTS || &program->at[i] == first)
            continue;
        met_diag *d = met_diag_add(inst->lang->session, MET_DIAG_duplicate_name, program->at[i].span, "outputs are named twice");
        met_diag_note(d, first->span, "first here");
        return false;
    }
    return true;
}

static bool find_result(met_instance *inst, const met_program *program, met_span span, result *ret)
{
    met_def *circuit = marked(inst, program);
    const met_statement *outputs = met_outputs_of(program);
    if (circuit)
        return from_definition(inst, circuit, ret);
    if (outputs)
        return from_outputs(inst, outputs, ret);
    if (inst->last.count)
        return from_values(inst, (uint32_t)inst->last.count, inst->last.at, ret);
    met_def *last = last_definition(inst, program);
    if (last)
        return from_definition(inst, last, ret);
    met_diag *d = met_diag_add(inst->lang->session, MET_DIAG_syntax, span, "nothing here defines a circuit");
    met_diag_help(d, "write a term, such as softmax[x], or an equation, such as y = softmax[x](s)");
    return false;
}

met_circuit *met_lang_read_span(met_session *session, met_span span, met_format default_format)
{
    size_t errors = met_session_error_count(session);
    met_builder *b = met_builder_new(session);
    met_lang *lang = met_lang_new(b);
    met_program program;
    if (!met_parse_program(session, span, &program))
        return NULL;
    met_instance *inst = met_instance_new(lang, lang->defs, NULL, (met_sym){ 0 });
    inst->open = true;
    inst->scope = met_scope_new(b);
    result found = { 0 };
    met_span start = { span.source, span.begin, span.begin };
    bool good = met_defs_gather(lang, lang->defs, &program, NULL) && bare_terms_fit(inst, &program) && one_outputs(inst, &program) &&
                met_run_statements(inst, &program) && find_result(inst, &program, start, &found);
    if (!good || met_session_error_count(session) > errors)
        return NULL;
    return met_builder_freeze(b, found.term, found.name, default_format);
}

static bool read_format(met_session *session, const char *text, met_format *ret_format)
{
    *ret_format = met_format_of(MET_F32);
    if (!text || met_format_parse(met_str_of(text), ret_format))
        return true;
    met_diag *d = met_diag_add(session, MET_DIAG_format, (met_span){ 0 }, "`%s` is not a format", text);
    met_diag_help(d, "formats are %s", met_format_spellings());
    return false;
}

met_circuit *met_circuit_read(met_session *session, uint32_t source, const char *default_format)
{
    met_format format;
    if (source == 0 || !read_format(session, default_format, &format))
        return NULL;
    met_span span = { source, 0, (uint32_t)met_session_source(session, source)->text.length };
    return met_lang_read_span(session, span, format);
}

/* --- Terms from C --- */

met_term *met_lang_read_term(met_builder *b, met_span span)
{
    met_ast *ast = met_parse_expression(met_builder_session(b), span);
    met_lang *lang = met_lang_new(b);
    return ast ? met_elaborate_term(met_instance_new(lang, lang->defs, NULL, (met_sym){ 0 }), ast) : NULL;
}

met_term *met_term_read(met_builder *builder, const char *text)
{
    uint32_t source = met_session_add_source(met_builder_session(builder), "expression", text, strlen(text));
    return source ? met_lang_read_term(builder, (met_span){ source, 0, (uint32_t)strlen(text) }) : NULL;
}

met_circuit *met_term_circuit(met_builder *builder, met_term *term, const char *name, const char *default_format)
{
    met_session *session = met_builder_session(builder);
    met_format format;
    if (!term || !read_format(session, default_format, &format) || met_session_error_count(session) > 0)
        return NULL;
    return met_builder_freeze(builder, term, met_intern(session, met_str_of(name)), format);
}
