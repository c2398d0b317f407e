/* The layout of an architecture: how many layers there are, and of which kind each is. */
#include "lang/arch.h"

enum { RULES = 64 };

bool met_arch_layer_kind(const met_arch *arch, const met_value *value, uint32_t *ret_kind)
{
    met_sym name;
    if (!met_arch_word(arch, value, "a kind of layer", &name))
        return false;
    if (met_map_get_pair(arch->tables[MET_ARCH_KINDS].by_name, name.id, 0, ret_kind))
        return true;
    met_diag_at(arch->session, MET_DIAG_model, &value->place, "there is no kind of layer `%s`",
                met_sym_text(arch->session, name));
    return false;
}

static bool kinds_by_list(const met_arch *arch, const met_value *list, met_arch_layout *l)
{
    if (!met_value_expect(arch->session, list, MET_VALUE_LIST, "list"))
        return false;
    if (list->items.count != l->count) {
        met_diag_at(arch->session, MET_DIAG_model, &list->place, "the list has %zu layers, and the model has %llu",
                    list->items.count,
                    (unsigned long long)l->count);
        return false;
    }
    for (size_t i = 0; i < list->items.count; i++)
        if (!met_arch_layer_kind(arch, list->items.at[i], &l->kinds[i]))
            return false;
    return true;
}

/* The integer of a rule: one itself, or a formula with a value. */
static bool rule_number(met_arch *arch, const met_value *value, uint64_t *ret_number)
{
    const met_dim *size;
    if (value->kind == MET_VALUE_INTEGER && value->integer >= 0) {
        *ret_number = (uint64_t)value->integer;
        return true;
    }
    return value->kind == MET_VALUE_STRING && met_arch_formula(arch, value, &size) && size && met_dim_is_constant(size, ret_number);
}

/* { kind = "sliding", every = 2 }: layers i with (i + 1) mod 2 = 0. { kind = "dense", first = 3 }: layers 0, 1 and 2. The
 * first rule that fits a layer gives its kind. */
static bool apply_rule(met_arch *arch, const met_value *rule, met_arch_layout *l, bool *taken)
{
    static const char *const known[] = { "kind", "every", "first" };
    uint32_t kind;
    uint64_t number = 0;
    if (!met_value_expect(arch->session, rule, MET_VALUE_TABLE, "a rule") || !met_value_only(arch->session, rule, known, 3))
        return false;
    const met_value *name = met_value_require(arch->session, rule, "kind"), *first = met_value_get(rule, "first");
    const met_value *value = first ? first : met_value_require(arch->session, rule, "every");
    if (!name || !value || !met_arch_layer_kind(arch, name, &kind))
        return false;
    if (!rule_number(arch, value, &number) || (!first && number == 0)) {
        met_diag_at(arch->session, MET_DIAG_model, &value->place, "%s, or a formula with a value",
                    first ? "a number of layers is an integer" : "an interval is a positive integer");
        return false;
    }
    for (uint64_t i = 0; i < l->count; i++) {
        bool fits = first ? i < number : (i + 1) % number == 0;
        if (!fits || taken[i])
            continue;
        taken[i] = true;
        l->kinds[i] = kind;
    }
    return true;
}

static bool kinds_by_rules(met_arch *arch, met_arch_layout *l)
{
    const met_arch_entry *rules = met_arch_entry_of(arch, MET_ARCH_LAYERS_TABLE, "rules");
    const met_arch_entry *rest = met_arch_entry_of(arch, MET_ARCH_LAYERS_TABLE, "kind");
    bool *taken = MET_NEW_ARRAY(arch->arena, bool, l->count);
    uint32_t kind = 0;
    if (arch->layers_by) {
        rules = NULL;
        if (!met_arch_kinds_of_config(arch, l, taken))
            return false;
    }
    if (rules && !met_value_expect(arch->session, rules->value, MET_VALUE_LIST, "rules"))
        return false;
    if (rules && rules->value->items.count > RULES) {
        met_diag_at(arch->session, MET_DIAG_input_too_large, &rules->value->place, "more than %d rules", RULES);
        return false;
    }
    for (size_t i = 0; rules && i < rules->value->items.count; i++)
        if (!apply_rule(arch, rules->value->items.at[i], l, taken))
            return false;
    if (rest && !met_arch_layer_kind(arch, rest->value, &kind))
        return false;
    bool single = rest || arch->tables[MET_ARCH_KINDS].list.count == 1;
    for (uint64_t i = 0; i < l->count; i++) {
        if (taken[i])
            continue;
        if (!single) {
            met_diag_at(arch->session, MET_DIAG_model, &arch->tables[MET_ARCH_KINDS].list.at[0].key_place,
                        "layer %llu has no kind", (unsigned long long)i);
            return false;
        }
        l->kinds[i] = kind;
    }
    return true;
}

static bool layer_count(met_arch *arch, met_arch_layout *l)
{
    const met_arch_entry *count = met_arch_entry_of(arch, MET_ARCH_LAYERS_TABLE, "count");
    const met_arch_entry *path = met_arch_entry_of(arch, MET_ARCH_LAYERS_TABLE, "path");
    if (!count || !path) {
        met_diag_at(arch->session, MET_DIAG_field, &arch->tables[MET_ARCH_KINDS].list.at[0].key_place,
                    "[layers] needs `count` and `path`");
        return false;
    }
    const met_arch_dim *dim = met_arch_dim_named(arch, count->value, "count", MET_ARCH_COUNT);
    if (!dim || !met_value_to_string(arch->session, path->value, "path", &l->path))
        return false;
    if (!met_arch_count(dim, &l->count) || l->count > MET_ARCH_LAYERS) {
        const met_place *place = dim->known && dim->size ? &dim->place : &count->value->place; /* who said it: a configuration, say */
        met_diag_at(arch->session, MET_DIAG_model, place, "the number of layers must be known, and at most %d",
                    MET_ARCH_LAYERS);
        return false;
    }
    return true;
}

bool met_arch_layout_of(met_arch *arch, met_arch_layout *ret_layout)
{
    static const char *const known[] = { "count", "path", "list", "rules", "kind" };
    met_arch_layout *l = ret_layout;
    *l = (met_arch_layout){ 0 };
    size_t kinds = arch->tables[MET_ARCH_KINDS].list.count;
    if (!met_arch_only(arch, MET_ARCH_LAYERS_TABLE, known, sizeof known / sizeof *known))
        return false;
    if (kinds == 0)
        return true;
    if (!layer_count(arch, l))
        return false;
    l->kinds = MET_NEW_ARRAY(arch->arena, uint32_t, l->count);
    l->totals = MET_NEW_ARRAY(arch->arena, uint32_t, kinds);
    const met_arch_entry *list = met_arch_entry_of(arch, MET_ARCH_LAYERS_TABLE, "list");
    if (!(list && !arch->layers_by ? kinds_by_list(arch, list->value, l) : kinds_by_rules(arch, l)))
        return false;
    for (uint64_t i = 0; i < l->count; i++)
        l->totals[l->kinds[i]]++;
    return true;
}
