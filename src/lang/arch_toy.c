/* Toy sizes: [toy] of an architecture gives its dims small values with which every kind of layer and every feature is
 * there. What is true of all circuits of an architecture is tried on its toy. */
#include "lang/arch.h"

static bool give(met_arch *arch, met_str name, const met_place *key_place, const met_value *value)
{
    met_sym sym = met_intern(arch->session, name);
    met_arch_dim *dim = met_arch_dim_of(arch, sym);
    if (!dim)
        met_diag_at(arch->session, MET_DIAG_model, key_place, "there is no dim `%s`", met_sym_text(arch->session, sym));
    return dim && met_arch_give(arch, dim, value, &value->place);
}

/* Of new tokens and of cached ones: these grow while a model is run token by token. */
static bool grows_with_tokens(met_str name)
{
    return met_str_is(name, "n") || met_str_is(name, "c");
}

static bool has(const met_value *table, met_str key)
{
    for (size_t i = 0; table && i < table->entries.count; i++)
        if (met_str_equal(table->entries.at[i].key, key))
            return true;
    return false;
}

bool met_arch_toy(met_arch *arch, const met_value *own, bool grows)
{
    const met_arch_entries *entries = &arch->tables[MET_ARCH_TOY];
    bool good = true;
    if (entries->list.count == 0) {
        met_diag_at(arch->session, MET_DIAG_field, &arch->parts.at[0].value->place, "`%s` has no toy sizes: the table [toy] is missing",
                    met_sym_text(arch->session, arch->name));
        return false;
    }
    if (own && !met_value_expect(arch->session, own, MET_VALUE_TABLE, "toy"))
        return false;
    for (size_t i = 0; own && i < own->entries.count; i++)
        good = give(arch, own->entries.at[i].key, &own->entries.at[i].key_place, own->entries.at[i].value) && good;
    for (size_t i = 0; i < entries->list.count; i++) {
        const met_arch_entry *e = &entries->list.at[i];
        met_str name = met_sym_str(arch->session, e->name);
        good = (has(own, name) || (grows && grows_with_tokens(name)) || give(arch, name, &e->key_place, e->value)) && good;
    }
    return good;
}

static bool check_sizes(const met_arch *arch)
{
    bool good = true;
    uint64_t ignored;
    for (size_t i = 0; i < arch->dims.count; i++) {
        const met_arch_dim *dim = &arch->dims.at[i];
        if (dim->kind != MET_ARCH_SIZE || met_arch_count(dim, &ignored))
            continue;
        met_diag_at(arch->session, MET_DIAG_field, &dim->entry->key_place, "`%s` has no toy size",
                    met_sym_text(arch->session, dim->name));
        good = false;
    }
    return good;
}

bool met_arch_toy_check(met_arch *arch, bool grows)
{
    met_arch_layout layout;
    bool good = grows || check_sizes(arch);
    if (!good || arch->tables[MET_ARCH_KINDS].list.count == 0)
        return good;
    if (!met_arch_layout_of(arch, &layout))
        return false;
    for (size_t k = 0; k < arch->tables[MET_ARCH_KINDS].list.count; k++) {
        const met_arch_entry *kind = &arch->tables[MET_ARCH_KINDS].list.at[k];
        if (layout.totals[k] > 0)
            continue;
        met_diag_at(arch->session, MET_DIAG_model, &kind->key_place, "the toy of `%s` has no layer of kind `%s`",
                    met_sym_text(arch->session, arch->name), met_sym_text(arch->session, kind->name));
        good = false;
    }
    return good;
}
