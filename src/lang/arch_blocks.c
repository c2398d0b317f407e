/* Blocks: the equations of an architecture, some of them chosen by the mode, a switch or a word. */
#include "lang/arch.h"

/* A block that is off: one array in, the same array out. */
static bool off_text(met_arch *arch, met_span *ret_span)
{
    uint32_t source = met_session_add_source(arch->session, "a block that is off", "id", 2);
    *ret_span = (met_span){ source, 0, 2 };
    return source != 0;
}

/* What `by` says now: the mode, a word, or on and off. */
static bool choice_of(met_arch *arch, const met_value *by, met_sym *ret_choice)
{
    met_sym name;
    if (!met_arch_word(arch, by, "by", &name))
        return false;
    if (met_str_is(met_sym_str(arch->session, name), "mode")) {
        *ret_choice = arch->mode;
        return true;
    }
    met_arch_dim *dim = met_arch_dim_of(arch, name);
    if (dim && dim->kind == MET_ARCH_SWITCH) {
        *ret_choice = met_intern(arch->session, met_str_of(dim->on ? "on" : "off"));
        return true;
    }
    dim = met_arch_dim_named(arch, by, "by", MET_ARCH_WORD);
    if (dim)
        *ret_choice = dim->word;
    return dim != NULL;
}

/* Is this a thing that `by` could ever say? A part may know modes that the architecture at hand does not have. */
static bool possible(met_arch *arch, met_sym by, met_str choice)
{
    const met_arch_dim *dim = met_arch_dim_of(arch, by);
    if (!dim)
        return true;
    if (dim->kind == MET_ARCH_SWITCH)
        return met_str_is(choice, "on") || met_str_is(choice, "off");
    const met_value *words = met_value_get(dim->entry->value, "one_of");
    for (size_t i = 0; words && i < words->items.count; i++)
        if (met_str_equal(words->items.at[i]->string, choice))
            return true;
    return false;
}

static bool check_choices(met_arch *arch, const met_value *block, const met_value *by)
{
    bool good = true;
    met_sym name;
    if (!met_arch_word(arch, by, "by", &name))
        return false;
    for (size_t i = 0; i < block->entries.count; i++) {
        const met_entry *e = &block->entries.at[i];
        if (e->value == by || met_str_is(e->key, "else") || possible(arch, name, e->key))
            continue;
        met_diag_at(arch->session, MET_DIAG_field, &e->key_place, "`%s` is never `%.*s`", met_sym_text(arch->session, name),
                    MET_STR_ARGS(e->key));
        good = false;
    }
    return good;
}

static bool chosen_text(met_arch *arch, const met_arch_entry *e, met_span *ret_span)
{
    met_sym choice;
    if (!met_value_expect(arch->session, e->value, MET_VALUE_TABLE, "a block"))
        return false;
    const met_value *by = met_value_require(arch->session, e->value, "by");
    if (!by || !choice_of(arch, by, &choice) || !check_choices(arch, e->value, by))
        return false;
    const met_value *text = met_value_get(e->value, met_sym_text(arch->session, choice));
    text = text ? text : met_value_get(e->value, "else");
    if (text)
        return met_arch_text(arch, text, "a block", ret_span);
    if (met_str_is(met_sym_str(arch->session, choice), "off"))
        return off_text(arch, ret_span);
    met_diag_at(arch->session, MET_DIAG_model, &e->key_place, "`%s` says nothing for `%s`",
                met_sym_text(arch->session, e->name),
                met_sym_text(arch->session, choice));
    return false;
}

/* Names of blocks stand where names of the language stand, so they must read as such. */
static bool is_name(met_str text)
{
    for (size_t i = 0; i < text.length; i++) {
        char c = text.at[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && (i == 0 || c < '0' || c > '9'))
            return false;
    }
    return text.length > 0;
}

bool met_arch_define(met_arch *arch, met_lang *lang)
{
    const met_arch_entries *entries = &arch->tables[MET_ARCH_BLOCKS];
    bool good = true;
    for (size_t i = 0; i < entries->list.count; i++) {
        const met_arch_entry *e = &entries->list.at[i];
        met_span span;
        if (!is_name(met_sym_str(arch->session, e->name))) {
            met_diag_at(arch->session, MET_DIAG_field, &e->key_place,
                        "a block's name is made of letters, digits and underscores");
            good = false;
            continue;
        }
        bool plain = e->value->kind == MET_VALUE_STRING;
        bool found = plain ? met_arch_text(arch, e->value, "a block", &span) : chosen_text(arch, e, &span);
        good = found && met_lang_define_as(lang, e->name, span) && good;
    }
    return good;
}
