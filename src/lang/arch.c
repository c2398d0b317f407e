/* Architectures: the files, merged. */
#include "lang/arch.h"

#include <string.h>

/* --- Tables --- */

/* Where each merging table stands: `outer` holds it, under `key`. The other keys of `outer` are entries of a table too. */
static const struct {
    const char *outer, *key;
} table_places[MET_ARCH_TABLES] = {
    [MET_ARCH_DIMS] = { NULL, "dims" },
    [MET_ARCH_MODES] = { NULL, "modes" },
    [MET_ARCH_BLOCKS] = { NULL, "blocks" },
    [MET_ARCH_MODEL] = { NULL, "model" },
    [MET_ARCH_INPUTS] = { "model", "inputs" },
    [MET_ARCH_PARAMETERS] = { "model", "parameters" },
    [MET_ARCH_LAYERS_TABLE] = { NULL, "layers" },
    [MET_ARCH_KINDS] = { "layers", "kinds" },
    [MET_ARCH_CONFIG] = { NULL, "config" },
    [MET_ARCH_KEYS] = { "config", "keys" },
    [MET_ARCH_TOY] = { NULL, "toy" },
};

const met_arch_entry *met_arch_entry_by(const met_arch *arch, met_arch_table table, met_sym name)
{
    uint32_t index;
    const met_arch_entries *entries = &arch->tables[table];
    return met_map_get_pair(entries->by_name, name.id, 0, &index) ? &entries->list.at[index] : NULL;
}

const met_arch_entry *met_arch_entry_of(const met_arch *arch, met_arch_table table, const char *name)
{
    return met_arch_entry_by(arch, table, met_intern(arch->session, met_str_of(name)));
}

const char *const *met_arch_names(const met_arch *arch, met_arch_table table, size_t *ret_count)
{
    const met_arch_entries *entries = &arch->tables[table];
    const char **names = MET_NEW_ARRAY(arch->arena, const char *, entries->list.count);
    for (size_t i = 0; i < entries->list.count; i++)
        names[i] = met_sym_text(arch->session, entries->list.at[i].name);
    *ret_count = entries->list.count;
    return names;
}

bool met_arch_only(const met_arch *arch, met_arch_table table, const char *const *known, size_t count)
{
    const met_arch_entries *entries = &arch->tables[table];
    bool good = true;
    for (size_t i = 0; i < entries->list.count; i++) {
        met_str name = met_sym_str(arch->session, entries->list.at[i].name);
        bool found = false;
        for (size_t k = 0; k < count && !found; k++)
            found = met_str_is(name, known[k]);
        if (found)
            continue;
        met_diag *d = met_diag_at(arch->session, MET_DIAG_field, &entries->list.at[i].key_place,
                                  "there is no field `%.*s` here",
                                  MET_STR_ARGS(name));
        const char *near = met_nearest(name, known, count);
        if (near)
            met_diag_help(d, "did you mean `%s`?", near);
        good = false;
    }
    return good;
}

static bool uses(const met_arch *arch, uint32_t user, uint32_t part)
{
    while (part != user && part != 0)
        part = arch->parts.at[part].user;
    return part == user;
}

/* Users are read before what they use, so an entry that is already there is the user's, or a conflict. */
static bool add_entry(met_arch *arch, met_arch_table table, const met_entry *e, uint32_t part)
{
    met_arch_entries *entries = &arch->tables[table];
    met_sym name = met_intern(arch->session, e->key);
    const met_arch_entry *old = met_arch_entry_by(arch, table, name);
    if (old && old->part != part && uses(arch, old->part, part))
        return true;
    if (old) {
        met_diag *d = met_diag_at(arch->session, MET_DIAG_duplicate_name, &e->key_place,
                                  "`%.*s` is given by two parts, and neither uses the other",
                                  MET_STR_ARGS(e->key));
        met_diag_note(d, old->key_place.span, "the other one is here");
        return false;
    }
    met_arch_entry entry = { name, e->key_place, e->value, part };
    met_map_set_pair(entries->by_name, name.id, 0, (uint32_t)entries->list.count);
    MET_PUSH(arch->arena, &entries->list, entry);
    return true;
}

/* Is this key of a merging table a merging table of its own? */
static bool is_inner(met_arch_table table, met_str key)
{
    for (int t = 0; t < MET_ARCH_TABLES; t++)
        if (table_places[t].outer && !strcmp(table_places[t].outer, table_places[table].key) &&
            met_str_is(key, table_places[t].key))
            return true;
    return false;
}

static bool merge_table(met_arch *arch, met_arch_table table, uint32_t part)
{
    const met_value *value = arch->parts.at[part].value;
    if (table_places[table].outer) {
        value = met_value_get(value, table_places[table].outer);
        if (value && value->kind != MET_VALUE_TABLE)
            return true; /* said once, for the outer table */
    }
    value = value ? met_value_get(value, table_places[table].key) : NULL;
    if (!value)
        return true;
    if (!met_value_expect(arch->session, value, MET_VALUE_TABLE, table_places[table].key))
        return false;
    bool good = true;
    for (size_t i = 0; i < value->entries.count; i++)
        if (table_places[table].outer || !is_inner(table, value->entries.at[i].key))
            good = add_entry(arch, table, &value->entries.at[i], part) && good;
    return good;
}

static bool merge_requires(met_arch *arch, const met_value *root)
{
    const met_value *list = met_value_get(root, "require");
    if (!list)
        return true;
    if (!met_value_expect(arch->session, list, MET_VALUE_LIST, "require"))
        return false;
    for (size_t i = 0; i < list->items.count; i++)
        MET_PUSH(arch->arena, &arch->requires, list->items.at[i]);
    return true;
}

/* --- Files --- */

static bool known_part(const met_arch *arch, met_str path)
{
    for (size_t i = 0; i < arch->parts.count; i++)
        if (met_str_equal(arch->parts.at[i].path, path))
            return true;
    return false;
}

static bool read_part(met_arch *arch, uint32_t part, met_model_part load, void *context);

/* Parts stay below the directories they are looked for in. */
static bool is_inside(met_str path)
{
    for (size_t begin = 0, end; begin <= path.length; begin = end + 1) {
        for (end = begin; end < path.length && path.at[end] != '/'; end++)
            ;
        met_str step = { path.at + begin, end - begin };
        if ((begin == 0 && step.length == 0) || met_str_is(step, ".."))
            return false;
    }
    return true;
}

static bool read_used(met_arch *arch, uint32_t user, const met_value *item, met_model_part load, void *context)
{
    met_str path;
    if (!met_value_to_string(arch->session, item, "a part in use", &path))
        return false;
    if (!is_inside(path)) {
        met_diag_at(arch->session, MET_DIAG_model, &item->place, "`%.*s` is not the path of a part: it leaves the directory",
                    MET_STR_ARGS(path));
        return false;
    }
    if (known_part(arch, path))
        return true;
    if (arch->parts.count >= MET_ARCH_PARTS) {
        met_diag_at(arch->session, MET_DIAG_input_too_large, &item->place, "an architecture of more than %d files",
                    MET_ARCH_PARTS);
        return false;
    }
    size_t errors = met_session_error_count(arch->session);
    const met_value *value = load ? load(context, path.at) : NULL;
    if (!value) {
        if (met_session_error_count(arch->session) == errors)
            met_diag_at(arch->session, MET_DIAG_model, &item->place, "there is no part `%.*s`", MET_STR_ARGS(path));
        return false;
    }
    met_arch_part part = { path, value, user };
    MET_PUSH(arch->arena, &arch->parts, part);
    return read_part(arch, (uint32_t)arch->parts.count - 1, load, context);
}

/* [arch] or [part]: who this is, and what it uses. */
static bool read_header(met_arch *arch, const met_value *root, bool first, const met_value **ret_use)
{
    static const char *const known[] = { "name", "summary", "needs", "use" };
    met_str text;
    const met_value *header = met_value_require(arch->session, root, first ? "arch" : "part");
    if (!header || !met_value_expect(arch->session, header, MET_VALUE_TABLE, first ? "arch" : "part"))
        return false;
    bool good = met_value_only(arch->session, header, known, sizeof known / sizeof *known);
    for (int i = 0; i < 2; i++) {
        const met_value *value = met_value_require(arch->session, header, known[i]);
        good = value && met_value_to_string(arch->session, value, known[i], &text) && good;
        if (good && first && i == 0)
            arch->name = met_intern(arch->session, text);
    }
    const met_value *needs = met_value_get(header, "needs");
    *ret_use = met_value_get(header, "use");
    good = good && (!needs || met_value_expect(arch->session, needs, MET_VALUE_LIST, "needs"));
    return good && (!*ret_use || met_value_expect(arch->session, *ret_use, MET_VALUE_LIST, "use"));
}

static bool read_part(met_arch *arch, uint32_t part, met_model_part load, void *context)
{
    static const char *const known[] = { "arch", "part", "dims", "require", "modes", "blocks", "model", "layers", "config", "toy" };
    const met_value *root = arch->parts.at[part].value, *use;
    if (!met_value_expect(arch->session, root, MET_VALUE_TABLE, "an architecture"))
        return false;
    bool good = met_value_only(arch->session, root, known, sizeof known / sizeof *known);
    if (!read_header(arch, root, part == 0, &use))
        return false;
    for (int table = 0; table < MET_ARCH_TABLES; table++)
        good = merge_table(arch, (met_arch_table)table, part) && good;
    good = merge_requires(arch, root) && good;
    for (size_t i = 0; use && i < use->items.count; i++)
        good = read_used(arch, part, use->items.at[i], load, context) && good;
    return good;
}

static bool check_needs(const met_arch *arch, const met_arch_part *part)
{
    const met_value *header = met_value_get(part->value, "part");
    const met_value *needs = header ? met_value_get(header, "needs") : NULL;
    bool good = true;
    for (size_t i = 0; needs && i < needs->items.count; i++) {
        met_sym name;
        const met_value *need = needs->items.at[i];
        if (!met_arch_word(arch, need, "a needed dim", &name)) {
            good = false;
        } else if (!met_arch_entry_by(arch, MET_ARCH_DIMS, name)) {
            met_diag *d = met_diag_at(arch->session, MET_DIAG_model, &need->place,
                                      "`%s` does not declare `%s`, which this part needs",
                                      met_sym_text(arch->session, arch->name), met_sym_text(arch->session, name));
            met_diag_help(d, "add it to the [dims] of the architecture");
            good = false;
        }
    }
    return good;
}

met_arch *met_arch_read(met_session *session, const met_value *value, met_model_part load, void *context)
{
    met_arch *arch = MET_NEW(session->arena, met_arch);
    arch->session = session;
    arch->arena = session->arena;
    for (int i = 0; i < MET_ARCH_TABLES; i++)
        arch->tables[i].by_name = met_map_new(arch->arena);
    met_arch_part first = { met_str_of(""), value, 0 };
    MET_PUSH(arch->arena, &arch->parts, first);
    if (!read_part(arch, 0, load, context))
        return NULL;
    bool good = true;
    for (size_t i = 0; i < arch->parts.count; i++)
        good = check_needs(arch, &arch->parts.at[i]) && good;
    good = met_arch_declare(arch) && good;
    return good && met_config_check(arch) ? arch : NULL;
}

/* --- Strings --- */

bool met_arch_word(const met_arch *arch, const met_value *value, const char *what, met_sym *ret_word)
{
    met_str text;
    if (!met_value_to_string(arch->session, value, what, &text))
        return false;
    *ret_word = met_intern(arch->session, text);
    return true;
}

bool met_arch_text(const met_arch *arch, const met_value *value, const char *what, met_span *ret_span)
{
    met_str text;
    if (!met_value_to_string(arch->session, value, what, &text))
        return false;
    *ret_span = value->place.content;
    if (ret_span->source && ret_span->end > ret_span->begin)
        return true;
    uint32_t source = met_session_add_source(arch->session, what, text.at, text.length);
    *ret_span = (met_span){ source, 0, (uint32_t)text.length };
    return source != 0;
}
