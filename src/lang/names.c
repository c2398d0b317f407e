/* Names: definitions, what an instance knows, paths. */
#include <string.h>

#include "lang/elaborate.h"

met_defs *met_defs_new(met_lang *lang, met_defs *outer)
{
    met_defs *defs = MET_NEW(lang->arena, met_defs);
    defs->outer = outer;
    defs->by_name = met_map_new(lang->arena);
    return defs;
}

static met_def *find_here(const met_defs *defs, met_sym name)
{
    uint32_t index;
    return met_map_get_pair(defs->by_name, name.id, 0, &index) ? defs->list.at[index] : NULL;
}

met_def *met_defs_find(const met_defs *defs, met_sym name)
{
    met_def *found = NULL;
    for (; defs && !found; defs = defs->outer)
        found = find_here(defs, name);
    return found;
}

met_rearrangement met_rearrangement_of(const met_lang *lang, met_sym name)
{
    static const struct {
        const char *name;
        met_rearrangement kind;
    } table[] = { { "id", MET_ID }, { "copy", MET_COPY }, { "drop", MET_DROP }, { "swap", MET_SWAP }, { "permute", MET_PERMUTE } };
    met_str text = met_sym_str(lang->session, name);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (met_str_is(text, table[i].name))
            return table[i].kind;
    return MET_NOT_ONE;
}

bool met_defs_add(met_lang *lang, met_defs *defs, const met_ast_name *name, const met_statement *statement)
{
    const char *text = met_sym_text(lang->session, name->name);
    met_def *other = find_here(defs, name->name);
    if (other) {
        met_diag *d = met_diag_add(lang->session, MET_DIAG_duplicate_name, name->span, "`%s` is defined twice", text);
        met_diag_note(d, other->span, "the first definition is here");
        return false;
    }
    bool taken = met_op_find(met_str_of(text)) || met_rearrangement_of(lang, name->name) != MET_NOT_ONE;
    if (taken) {
        met_diag_add(lang->session, MET_DIAG_duplicate_name, name->span, "`%s` is the name of an op: choose another", text);
        return false;
    }
    met_def *def = MET_NEW(lang->arena, met_def);
    *def = (met_def){ .name = name->name, .span = name->span, .statement = statement, .home = defs };
    met_map_set_pair(defs->by_name, name->name.id, 0, (uint32_t)defs->list.count);
    MET_PUSH(lang->arena, &defs->list, def);
    return true;
}

/* --- Gathering --- */

typedef struct gather {
    met_map *values;
} gather;

static bool gathered_value(void *context, met_sym name)
{
    uint32_t ignored;
    return met_map_get_pair(((gather *)context)->values, name.id, 0, &ignored);
}

static void note_types(gather *g, const met_statement *s)
{
    for (uint32_t t = 0; t < s->type_count; t++)
        if (!s->types[t].parameter)
            met_map_set_pair(g->values, s->types[t].name.id, 0, 1);
}

bool met_defs_gather(met_lang *lang, met_defs *defs, met_program *program, const met_statement *header)
{
    gather g = { met_map_new(lang->arena) };
    bool good = true;
    if (header)
        note_types(&g, header);
    for (uint32_t i = 0; i < program->count; i++) {
        met_statement *s = &program->at[i];
        if (s->kind == MET_STATEMENT_DEFINE || s->kind == MET_STATEMENT_LET)
            good &= met_defs_add(lang, defs, &s->names[0], s);
        if (s->kind == MET_STATEMENT_TYPES)
            note_types(&g, s);
        if (s->kind == MET_STATEMENT_BIND || s->kind == MET_STATEMENT_BARE)
            s->equation = s->name_count > 1 || met_is_value(lang, defs, s->value, gathered_value, &g);
        for (uint32_t n = 0; s->equation && n < s->name_count; n++)
            met_map_set_pair(g.values, s->names[n].name.id, 0, 1);
        if (s->kind == MET_STATEMENT_BIND && !s->equation)
            good &= met_defs_add(lang, defs, &s->names[0], s);
    }
    return good;
}

/* --- Instances --- */

met_instance *met_instance_new(met_lang *lang, met_defs *defs, met_instance *user, met_sym path)
{
    met_instance *inst = MET_NEW(lang->arena, met_instance);
    inst->lang = lang;
    inst->defs = defs;
    inst->user = user;
    inst->path = path;
    inst->names = met_map_new(lang->arena);
    return inst;
}

bool met_instance_get(const met_instance *inst, met_space space, met_sym name, uint32_t *ret_id)
{
    return met_map_get_pair(inst->names, name.id, (uint32_t)space, ret_id);
}

bool met_instance_find(const met_instance *inst, met_space space, met_sym name, uint32_t *ret_id)
{
    for (; inst; inst = inst->outer)
        if (met_instance_get(inst, space, name, ret_id))
            return true;
    return false;
}

void met_instance_set(met_instance *inst, met_space space, met_sym name, uint32_t id)
{
    met_map_set_pair(inst->names, name.id, (uint32_t)space, id);
}

const met_lang_constant *met_instance_constant(const met_instance *inst, met_sym name)
{
    const met_lang *lang = inst->lang;
    uint32_t id;
    for (; inst; inst = inst->outer ? inst->outer : inst->user)
        if (met_instance_get(inst, MET_SPACE_CONSTANT, name, &id))
            return &inst->constants.at[id];
    return met_map_get_pair(lang->constant_ids, name.id, 0, &id) ? &lang->constants.at[id] : NULL;
}

void met_instance_add_constant(met_instance *inst, const met_lang_constant *constant)
{
    met_instance_set(inst, MET_SPACE_CONSTANT, constant->name, (uint32_t)inst->constants.count);
    MET_PUSH(inst->lang->arena, &inst->constants, *constant);
}

static uint32_t place_key(met_space space)
{
    return MET_SPACE_PLACES + (uint32_t)space;
}

void met_instance_set_place(met_instance *inst, met_space space, met_sym name, met_span span)
{
    met_map_set_pair(inst->names, name.id, place_key(space), (uint32_t)inst->places.count);
    MET_PUSH(inst->lang->arena, &inst->places, span);
}

void met_instance_note_place(const met_instance *inst, met_space space, met_sym name, met_diag *diag, const char *what)
{
    uint32_t id;
    for (; inst; inst = inst->outer) {
        if (met_map_get_pair(inst->names, name.id, place_key(space), &id)) {
            met_diag_note(diag, inst->places.at[id], "%s", what);
            return;
        }
    }
}

/* --- Paths --- */

/* Deep nesting must not make names of names of names. */
enum { PATH_LIMIT = 1000 };

met_sym met_path_join(met_lang *lang, met_sym path, met_str name)
{
    met_str prefix = met_sym_str(lang->session, path);
    if (prefix.length == 0)
        return met_intern(lang->session, name);
    if (prefix.length > PATH_LIMIT)
        return path;
    met_text text = met_text_new(lang->arena);
    met_text_str(&text, prefix);
    met_text_char(&text, '.');
    met_text_str(&text, name);
    return met_intern(lang->session, (met_str){ met_text_done(&text), text.length });
}

met_sym met_instance_use_path(met_instance *inst, met_sym name)
{
    uint32_t uses = 0;
    met_instance_get(inst, MET_SPACE_USES, name, &uses);
    met_instance_set(inst, MET_SPACE_USES, name, uses + 1);
    if (uses == 0)
        return met_path_join(inst->lang, inst->path, met_sym_str(inst->lang->session, name));
    met_text text = met_text_new(inst->lang->arena);
    met_text_str(&text, met_sym_str(inst->lang->session, name));
    met_text_format(&text, ".%u", uses + 1);
    return met_path_join(inst->lang, inst->path, (met_str){ met_text_done(&text), text.length });
}

/* --- Unknown names --- */

static void push_defs(const met_defs *defs, met_lang *lang, void *names)
{
    MET_VEC(const char *) *list = names;
    for (; defs; defs = defs->outer)
        for (size_t i = 0; i < defs->list.count && list->count < 2000; i++)
            MET_PUSH(lang->arena, list, met_sym_text(lang->session, defs->list.at[i]->name));
}

/* What is written instead of a word of array libraries. */
static const char *help_with_word(met_str word)
{
    static const struct {
        const char *word, *help;
    } words[] = {
        { "matmul", "a product is a contraction: 'n k, k m -> n m', or with a weight linear[k -> m]" },
        { "bmm", "a product is a contraction: 'b n k, b k m -> b n m'" },
        { "dot", "a product is a contraction: 'n k, k m -> n m', or with a weight linear[k -> m]" },
        { "dense", "a weight is applied by linear[k -> m]" },
        { "conv1d", "a convolution is a view, view[w k c <- w + k, c], and a contraction, 'w k c, o k c -> w o'" },
        { "conv2d", "a convolution is a view, view[i k j l c <- i + k, j + l, c], and a contraction, 'i k j l c, o k l c -> i j o'" },
        { "transpose", "axes are put in another order by a contraction that sums nothing: 'a b -> b a'" },
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (met_str_is(word, words[i].word))
            return words[i].help;
    return NULL;
}

void met_unknown_name(met_instance *inst, met_sym name, met_span span, bool values)
{
    met_lang *lang = inst->lang;
    met_str wanted = met_sym_str(lang->session, name);
    MET_VEC(const char *) names = { 0 };
    for (const met_instance *i = inst; values && i; i = i->outer)
        for (size_t n = 0; n < i->value_names.count && names.count < 1000; n++)
            MET_PUSH(lang->arena, &names, i->value_names.at[n]);
    push_defs(inst->defs, lang, &names);
    size_t ops;
    const char *const *op_names = met_op_names(&ops);
    for (size_t i = 0; i < ops; i++)
        MET_PUSH(lang->arena, &names, op_names[i]);
    static const char *const others[] = { "id", "copy", "drop", "swap", "permute" };
    for (size_t i = 0; i < 5; i++)
        MET_PUSH(lang->arena, &names, others[i]);
    met_diag *d = met_diag_add(lang->session, MET_DIAG_unknown_name, span, "nothing is called `%.*s`", MET_STR_ARGS(wanted));
    const char *nearest = met_nearest(wanted, names.at, names.count);
    const char *other = help_with_word(wanted);
    if (other)
        met_diag_help(d, "%s", other);
    else if (nearest)
        met_diag_help(d, "did you mean `%s`?", nearest);
    else if (values)
        met_diag_help(d, "declare it as an input, `%.*s: n m`, or give it a value before", MET_STR_ARGS(wanted));
    else
        met_diag_help(d, "docs/language.md lists the ops");
}
