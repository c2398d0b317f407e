#include "budget/fpcore_parts.h"

#include "base/diag.h"

/* What stands before the body of a program. */
typedef struct header {
    const met_sexpr *args, *body, *pre, *name, *precision;
} header;

static bool fail(met_session *session, met_span span, const char *message)
{
    met_diag_add(session, MET_DIAG_syntax, span, "%s", message);
    return false;
}

static bool is_property(const met_sexpr *e)
{
    return e->kind == MET_SEXPR_WORD && e->text.length > 1 && e->text.at[0] == ':';
}

static bool read_header(met_session *session, const met_sexpr *core, header *ret)
{
    size_t i = 1;
    *ret = (header){ 0 };
    if (i < core->count && core->items[i].kind == MET_SEXPR_WORD && !is_property(&core->items[i]))
        ret->name = &core->items[i++];
    if (i == core->count || core->items[i].kind != MET_SEXPR_LIST)
        return fail(session, i < core->count ? core->items[i].span : core->span, "a program begins with the list of its arguments");
    ret->args = &core->items[i++];
    while (i < core->count && is_property(&core->items[i])) {
        const met_sexpr *key = &core->items[i], *value = key + 1;
        if (i + 1 >= core->count)
            return fail(session, key->span, "a property without a value");
        if (met_sexpr_is(key, ":pre"))
            ret->pre = value;
        else if (met_sexpr_is(key, ":name"))
            ret->name = value;
        else if (met_sexpr_is(key, ":precision"))
            ret->precision = value;
        else if (!met_fpcore_rounds_to_nearest(session, key, value))
            return false;
        i += 2;
    }
    if (i + 1 != core->count)
        return fail(session, i < core->count ? core->items[i + 1].span : core->span,
                    i < core->count ? "something after the program's expression" : "a program without an expression");
    ret->body = &core->items[i];
    return true;
}

static bool read_format(met_session *session, const met_sexpr *word, const met_straight_format **ret)
{
    *ret = !word ? &met_straight_formats[0] : word->kind == MET_SEXPR_WORD ? met_straight_format_find(word->text) : NULL;
    if (*ret)
        return true;
    met_diag *d = met_diag_add(session, MET_DIAG_unknown_name, word->span, "a precision that bounds are not derived for");
    met_diag_help(d, "`binary64` and `binary32` are");
    return false;
}

/* x, or (! :precision binary32 x): the format of all is the program's. */
static bool read_args(met_session *session, const met_sexpr *list, met_straight_arg **ret)
{
    if (list->count > MET_STRAIGHT_ARGS) {
        met_diag_add(session, MET_DIAG_input_too_large, list->span, "more than %d arguments", MET_STRAIGHT_ARGS);
        return false;
    }
    *ret = MET_NEW_ARRAY(session->arena, met_straight_arg, list->count);
    for (size_t i = 0; i < list->count; i++) {
        const met_sexpr *e = &list->items[i];
        if (e->kind != MET_SEXPR_WORD || met_exact_begins(e->text))
            return fail(session, e->span, "an argument is a name");
        (*ret)[i] = (met_straight_arg){ e->text, e->span, met_interval_whole() };
        for (size_t k = 0; k < i; k++) {
            if (!met_str_equal((*ret)[k].name, e->text))
                continue;
            met_diag *d = met_diag_add(session, MET_DIAG_duplicate_name, e->span, "two arguments are `%.*s`", MET_STR_ARGS(e->text));
            met_diag_note(d, (*ret)[k].span, "the other one");
            return false;
        }
    }
    return true;
}

static bool too_large(met_session *session, const met_straight_program *program)
{
    if (met_straight_full(program))
        met_diag_add(session, MET_DIAG_input_too_large, program->span, "a program of %d operations or more", MET_STRAIGHT_NODES);
    return met_straight_full(program);
}

static met_straight_program *read_core(met_session *session, const met_sexpr *core)
{
    header h;
    met_straight_arg *args;
    const met_straight_format *format;
    if (!read_header(session, core, &h) || !read_format(session, h.precision, &format) || !read_args(session, h.args, &args))
        return NULL;
    met_fpcore_reader r = { .session = session, .format = format };
    r.program = met_straight_program_new(session->arena, h.args->count, args, format);
    r.program->name = h.name ? h.name->text : (met_str){ "", 0 };
    r.program->span = core->span;
    for (uint32_t i = 0; i < h.args->count; i++) {
        met_fpcore_name name = { args[i].name, i };
        MET_PUSH(session->arena, &r.names, name);
    }
    if (!met_fpcore_expression(&r, h.body, &r.program->result) || (h.pre && !met_fpcore_condition(&r, h.pre)) ||
        too_large(session, r.program))
        return NULL;
    met_straight_settle(r.program);
    return r.program;
}

const met_fpcore_list *met_fpcore_read(met_session *session, uint32_t source)
{
    const met_sexpr *all = met_sexpr_read(session, source);
    if (!all)
        return NULL;
    met_fpcore_list *list = MET_NEW(session->arena, met_fpcore_list);
    list->programs = MET_NEW_ARRAY(session->arena, met_straight_program *, all->count);
    bool good = true;
    for (size_t i = 0; i < all->count; i++) {
        const met_sexpr *core = &all->items[i];
        met_straight_program *program = met_sexpr_heads(core, "FPCore") ? read_core(session, core) : NULL;
        if (!program && !met_sexpr_heads(core, "FPCore"))
            fail(session, core->span, "a program is a list that begins with `FPCore`");
        good = good && program;
        list->programs[list->count++] = program;
    }
    if (good && list->count == 0)
        return fail(session, all->span, "no program in this file") ? list : NULL;
    return good ? list : NULL;
}
