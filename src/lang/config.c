/* Model configurations: what an architecture makes of every key of a `config.json`. The rules are data: the architecture's
 * [config] section. */
#include "lang/arch.h"

#include <string.h>

/* Rules of one level of the configuration: the merged table at the top, a table of the file below. */
typedef struct level {
    met_arch *arch;
    const met_value *rules; /* NULL: the top */
} level;

static const char *const rule_kinds[] = { "dim", "is", "each", "ignore", "refuse", "keys", "layers", "layers_at" };
enum { RULE_KINDS = sizeof rule_kinds / sizeof *rule_kinds };

/* --- Checking the rules --- */

static bool check_rule(met_arch *arch, const met_value *rule, const met_place *place);

static bool check_nested(met_arch *arch, const met_value *keys)
{
    bool good = met_value_expect(arch->session, keys, MET_VALUE_TABLE, "keys");
    for (size_t i = 0; i < keys->entries.count; i++)
        good = check_rule(arch, keys->entries.at[i].value, &keys->entries.at[i].key_place) && good;
    return good;
}

/* with = { linear = ["factor"] } */
static bool check_with(met_arch *arch, const met_value *rule)
{
    const met_value *with = met_value_get(rule, "with");
    met_str ignored;
    bool good = !with || met_value_expect(arch->session, with, MET_VALUE_TABLE, "with");
    for (size_t i = 0; good && with && i < with->entries.count; i++) {
        const met_value *list = with->entries.at[i].value;
        good = met_value_expect(arch->session, list, MET_VALUE_LIST, "keys that a word wants");
        for (size_t k = 0; good && k < list->items.count; k++)
            good = met_value_to_string(arch->session, list->items.at[k], "a key", &ignored);
    }
    return good;
}

static bool check_dim_rule(met_arch *arch, const met_value *rule)
{
    const met_value *dim = met_value_get(rule, "dim"), *words = met_value_get(rule, "words"),
        *on = met_value_get(rule, "turns_on");
    met_sym name;
    if (!met_arch_word(arch, dim, "dim", &name))
        return false;
    const met_arch_dim *found = met_arch_dim_of(arch, name);
    if (!found || (words && found->kind != MET_ARCH_WORD)) /* says which is wrong */
        return met_arch_dim_named(arch, dim, "dim", found ? MET_ARCH_WORD : MET_ARCH_SIZE) != NULL;
    if (on && !met_arch_dim_named(arch, on, "turns_on", MET_ARCH_SWITCH))
        return false;
    return (!words || met_value_expect(arch->session, words, MET_VALUE_TABLE, "words")) && check_with(arch, rule);
}

/* A rule says one thing, and why if that may refuse a configuration. */
static bool check_rule(met_arch *arch, const met_value *rule, const met_place *place)
{
    static const char *const known[] = { "dim", "is", "each", "ignore", "refuse", "keys", "why", "words", "with", "turns_on",
                                        "layers", "layers_at" };
    met_str ignored;
    uint32_t found = 0, which = 0;
    if (!met_value_expect(arch->session, rule, MET_VALUE_TABLE, "a rule") ||
        !met_value_only(arch->session, rule, known, sizeof known / sizeof *known))
        return false;
    for (uint32_t k = 0; k < RULE_KINDS; k++) {
        if (!met_value_get(rule, rule_kinds[k]))
            continue;
        which = k;
        found++;
    }
    if (found != 1) {
        met_diag_at(arch->session, MET_DIAG_field, place, "a rule says one of dim, is, each, ignore, refuse, keys, layers and layers_at");
        return false;
    }
    const met_value *value = met_value_get(rule, rule_kinds[which]), *why = met_value_get(rule, "why");
    if (why && !met_value_to_string(arch->session, why, "why", &ignored))
        return false;
    if (!strcmp(rule_kinds[which], "dim"))
        return check_dim_rule(arch, rule);
    if (!strcmp(rule_kinds[which], "keys"))
        return check_nested(arch, value);
    if (!strcmp(rule_kinds[which], "layers"))
        return met_value_expect(arch->session, value, MET_VALUE_TABLE, "kinds of layer by word");
    if (!strcmp(rule_kinds[which], "layers_at"))
        return met_value_to_string(arch->session, value, "a kind of layer", &ignored);
    if (!strcmp(rule_kinds[which], "ignore") || !strcmp(rule_kinds[which], "refuse"))
        return met_value_to_string(arch->session, value, "a reason", &ignored);
    return met_value_expect(arch->session, value, MET_VALUE_LIST, "what is accepted") &&
           met_value_require(arch->session, rule, "why");
}

bool met_config_check(met_arch *arch)
{
    static const char *const known[] = { "model_type" };
    const met_arch_entries *keys = &arch->tables[MET_ARCH_KEYS];
    bool good = met_arch_only(arch, MET_ARCH_CONFIG, known, 1);
    const met_arch_entry *types = met_arch_entry_of(arch, MET_ARCH_CONFIG, "model_type");
    good = (!types || met_value_expect(arch->session, types->value, MET_VALUE_LIST, "model_type")) && good;
    for (size_t i = 0; i < keys->list.count; i++)
        good = check_rule(arch, keys->list.at[i].value, &keys->list.at[i].key_place) && good;
    return good;
}

/* --- Which model --- */

static bool right_model(met_arch *arch, const met_value *config)
{
    const met_arch_entry *types = met_arch_entry_of(arch, MET_ARCH_CONFIG, "model_type");
    met_str type;
    if (!types) {
        met_diag_at(arch->session, MET_DIAG_model, &config->place, "`%s` does not read configurations",
                    met_sym_text(arch->session, arch->name));
        return false;
    }
    const met_value *value = met_value_get(config, "model_type");
    if (!value) {
        met_diag_at(arch->session, MET_DIAG_config_key, &config->place, "`model_type` is missing");
        return false;
    }
    if (!met_value_to_string(arch->session, value, "model_type", &type))
        return false;
    met_text list = met_text_new(arch->arena);
    for (size_t i = 0; i < types->value->items.count; i++) {
        const met_value *one = types->value->items.at[i];
        if (one->kind == MET_VALUE_STRING && met_str_equal(one->string, type))
            return true;
        met_text_format(&list, "%s%.*s", i ? ", " : "", MET_STR_ARGS(one->string));
    }
    met_diag *d = met_diag_at(arch->session, MET_DIAG_model, &value->place,
                              "this is a model of type `%.*s`, and the architecture is `%s`",
                              MET_STR_ARGS(type), met_sym_text(arch->session, arch->name));
    met_diag_help(d, "`%s` reads configurations of type %s", met_sym_text(arch->session, arch->name), met_text_done(&list));
    return false;
}

/* --- Keys --- */

static bool equal_values(const met_value *a, const met_value *b);

/* Lists item by item, tables key by key in any order. */
static bool equal_contents(const met_value *a, const met_value *b)
{
    bool same = a->items.count == b->items.count && a->entries.count == b->entries.count;
    for (size_t i = 0; same && i < a->items.count; i++)
        same = equal_values(a->items.at[i], b->items.at[i]);
    for (size_t i = 0; same && i < a->entries.count; i++) {
        const met_value *other = met_value_get(b, a->entries.at[i].key.at);
        same = other && equal_values(a->entries.at[i].value, other);
    }
    return same;
}

static bool equal_values(const met_value *a, const met_value *b)
{
    bool numbers = (a->kind == MET_VALUE_INTEGER || a->kind == MET_VALUE_FLOAT) &&
        (b->kind == MET_VALUE_INTEGER || b->kind == MET_VALUE_FLOAT);
    if (numbers)
        return a->number == b->number;
    if (a->kind != b->kind)
        return false;
    if (a->kind == MET_VALUE_STRING)
        return met_str_equal(a->string, b->string);
    if (a->kind == MET_VALUE_LIST || a->kind == MET_VALUE_TABLE)
        return equal_contents(a, b);
    return a->kind == MET_VALUE_BOOL ? a->boolean == b->boolean : a->kind == MET_VALUE_NULL;
}

static bool among(const met_value *list, const met_value *value)
{
    for (size_t i = 0; i < list->items.count; i++)
        if (equal_values(list->items.at[i], value))
            return true;
    return false;
}

static bool refuse(const met_arch *arch, const met_entry *e, const met_value *why)
{
    met_diag *d = met_diag_at(arch->session, MET_DIAG_config_key, &e->value->place,
                              "`%.*s` has a value that `%s` does not support",
                              MET_STR_ARGS(e->key), met_sym_text(arch->session, arch->name));
    if (why && why->kind == MET_VALUE_STRING)
        met_diag_help(d, "%.*s", MET_STR_ARGS(why->string));
    return false;
}

/* A word may want further keys beside it: a default in their place would be a guess. */
static bool beside(met_arch *arch, const met_value *rule, const met_entry *e, const met_value *table)
{
    const met_value *with = met_value_get(rule, "with"), *wanted = with ? met_value_get(with, e->value->string.at) : NULL;
    bool good = true;
    for (size_t i = 0; wanted && i < wanted->items.count; i++) {
        const met_value *key = wanted->items.at[i], *found = met_value_get(table, key->string.at);
        if (found && found->kind != MET_VALUE_NULL)
            continue;
        met_diag_at(arch->session, MET_DIAG_config_key, &e->value->place, "`%.*s` is missing, which `%.*s` wants beside it",
                    MET_STR_ARGS(key->string), MET_STR_ARGS(e->value->string));
        good = false;
    }
    return good;
}

static bool apply_words(met_arch *arch, met_arch_dim *dim, const met_value *rule, const met_entry *e, const met_value *table)
{
    const met_value *words = met_value_get(rule, "words");
    for (size_t i = 0; e->value->kind == MET_VALUE_STRING && i < words->entries.count; i++)
        if (met_str_equal(words->entries.at[i].key, e->value->string))
            return met_arch_give(arch, dim, words->entries.at[i].value, &e->value->place) && beside(arch, rule, e, table);
    met_text list = met_text_new(arch->arena);
    for (size_t i = 0; i < words->entries.count; i++)
        met_text_format(&list, "%s%.*s", i ? ", " : "", MET_STR_ARGS(words->entries.at[i].key));
    met_diag *d = met_diag_at(arch->session, MET_DIAG_config_key, &e->value->place,
                              "`%.*s` has a value that `%s` does not support",
                              MET_STR_ARGS(e->key), met_sym_text(arch->session, arch->name));
    if (e->value->kind == MET_VALUE_STRING)
        met_diag_label(d, "this is `%.*s`", MET_STR_ARGS(e->value->string));
    met_diag_help(d, "it knows %s", met_text_done(&list));
    const met_value *why = met_value_get(rule, "why");
    if (why)
        met_diag_help(d, "%.*s", MET_STR_ARGS(why->string));
    return false;
}

static bool apply_dim(met_arch *arch, const met_value *rule, const met_entry *e, const met_value *table)
{
    met_arch_dim *dim = met_arch_dim_of(arch, met_intern(arch->session, met_value_get(rule, "dim")->string));
    const met_value *on = met_value_get(rule, "turns_on");
    if (met_value_get(rule, "words"))
        return apply_words(arch, dim, rule, e, table);
    if (on) {
        met_arch_dim *toggle = met_arch_dim_of(arch, met_intern(arch->session, on->string));
        toggle->known = toggle->on = true;
        toggle->place = e->value->place;
    }
    return met_arch_give(arch, dim, e->value, &e->value->place);
}

static bool apply_each(met_arch *arch, const met_value *rule, const met_entry *e)
{
    const met_value *accepted = met_value_get(rule, "each");
    if (!met_value_expect(arch->session, e->value, MET_VALUE_LIST, "this key"))
        return false;
    for (size_t i = 0; i < e->value->items.count; i++)
        if (!among(accepted, e->value->items.at[i]))
            return refuse(arch, e, met_value_get(rule, "why"));
    return true;
}

static bool apply_table(const level *l, const met_value *table);

/* The kinds of layers by a list of words, or of numbers: the layout reads it. Two keys may not both say it. */
static bool apply_layers(met_arch *arch, const met_value *rule, const met_entry *e)
{
    if (!met_value_expect(arch->session, e->value, MET_VALUE_LIST, "this key"))
        return false;
    if (arch->layers_by) {
        met_diag *d = met_diag_at(arch->session, MET_DIAG_config_key, &e->value->place, "the kinds of the layers are given twice");
        met_diag_note_at(d, &arch->layers_said->place, "the other list is here");
        return false;
    }
    arch->layers_by = rule;
    arch->layers_said = e->value;
    return true;
}

/* A null is as good as an absent key; but where a value would turn something on, it turns it off. */
static bool apply_null(met_arch *arch, const met_value *rule, const met_entry *e)
{
    const met_value *on = met_value_get(rule, "turns_on");
    if (on) {
        met_arch_dim *toggle = met_arch_dim_of(arch, met_intern(arch->session, on->string));
        toggle->known = true;
        toggle->on = false;
        toggle->place = e->value->place;
    }
    return true;
}

static bool apply_rule(met_arch *arch, const met_value *rule, const met_entry *e, const met_value *table)
{
    if (met_value_get(rule, "ignore"))
        return true;
    if (e->value->kind == MET_VALUE_NULL)
        return apply_null(arch, rule, e);
    if (met_value_get(rule, "layers") || met_value_get(rule, "layers_at"))
        return apply_layers(arch, rule, e);
    const met_value *is = met_value_get(rule, "is"), *keys = met_value_get(rule, "keys");
    if (met_value_get(rule, "dim"))
        return apply_dim(arch, rule, e, table);
    if (is)
        return among(is, e->value) || refuse(arch, e, met_value_get(rule, "why"));
    if (met_value_get(rule, "each"))
        return apply_each(arch, rule, e);
    if (!keys)
        return refuse(arch, e, met_value_get(rule, "refuse"));
    level inner = { arch, keys };
    return met_value_expect(arch->session, e->value, MET_VALUE_TABLE, "this key") && apply_table(&inner, e->value);
}

static const met_value *rule_of(const level *l, met_str key)
{
    if (!l->rules) {
        const met_arch_entry *e = met_arch_entry_by(l->arch, MET_ARCH_KEYS, met_intern(l->arch->session, key));
        return e ? e->value : NULL;
    }
    for (size_t i = 0; i < l->rules->entries.count; i++)
        if (met_str_equal(l->rules->entries.at[i].key, key))
            return l->rules->entries.at[i].value;
    return NULL;
}

static void unknown_key(const level *l, const met_entry *e)
{
    size_t count;
    const char *const *names = met_arch_names(l->arch, MET_ARCH_KEYS, &count);
    if (l->rules) {
        count = l->rules->entries.count;
        const char **inner = MET_NEW_ARRAY(l->arch->arena, const char *, count);
        for (size_t i = 0; i < count; i++)
            inner[i] = l->rules->entries.at[i].key.at;
        names = inner;
    }
    met_diag *d = met_diag_at(l->arch->session, MET_DIAG_config_key, &e->value->place, "`%s` has no rule for the key `%.*s`",
                              met_sym_text(l->arch->session, l->arch->name), MET_STR_ARGS(e->key));
    const char *near = met_nearest(e->key, names, count);
    if (near)
        met_diag_help(d, "did you mean `%s`?", near);
    else
        met_diag_help(d, "it may change what the model computes; a rule in [config.keys] of the architecture says whether it does");
}

static bool apply_table(const level *l, const met_value *table)
{
    bool good = true;
    for (size_t i = 0; i < table->entries.count; i++) {
        const met_entry *e = &table->entries.at[i];
        const met_value *rule = rule_of(l, e->key);
        if (!rule)
            unknown_key(l, e);
        good = rule && apply_rule(l->arch, rule, e, table) && good;
    }
    return good;
}

/* Sizes and counts that nothing else gives must be there. */
static bool all_there(met_arch *arch, const met_value *config)
{
    const met_arch_entries *keys = &arch->tables[MET_ARCH_KEYS];
    bool good = true;
    for (size_t i = 0; i < keys->list.count; i++) {
        const met_value *rule = keys->list.at[i].value, *dim = met_value_get(rule, "dim");
        const met_arch_dim *d = dim ? met_arch_dim_of(arch, met_intern(arch->session, dim->string)) : NULL;
        bool wanted = d && !d->known && (d->kind == MET_ARCH_SIZE || d->kind == MET_ARCH_COUNT);
        if (!wanted || met_value_get(rule, "turns_on") || met_value_get(d->entry->value, "of"))
            continue;
        met_diag_at(arch->session, MET_DIAG_config_key, &config->place, "`%s` is missing",
                    met_sym_text(arch->session, keys->list.at[i].name));
        good = false;
    }
    return good;
}

bool met_config_apply(met_arch *arch, const met_value *config)
{
    level top = { arch, NULL };
    if (!met_value_expect(arch->session, config, MET_VALUE_TABLE, "a configuration") || !right_model(arch, config))
        return false;
    bool good = apply_table(&top, config);
    return good && all_there(arch, config);
}
