/* Dims: what the names of an architecture's sizes, counts, numbers, words and switches stand for. */
#include "lang/arch.h"

#include <math.h>
#include <string.h>

#define LARGEST ((int64_t)1 << 48) /* what circuits take */

static const char *const kind_names[] = { "size", "count", "number", "word", "switch" };

/* --- Declarations --- */

static bool check_words(met_arch *arch, const met_arch_entry *e)
{
    const met_value *words = met_value_require(arch->session, e->value, "one_of");
    met_sym ignored;
    if (!words || !met_value_expect(arch->session, words, MET_VALUE_LIST, "one_of"))
        return false;
    for (size_t i = 0; i < words->items.count; i++)
        if (!met_arch_word(arch, words->items.at[i], "a word", &ignored))
            return false;
    return true;
}

/* Exactly one of the kinds' names is a key, and its value says what the dim is. */
static bool find_kind(met_arch *arch, const met_arch_entry *e, met_arch_kind *ret_kind)
{
    met_str ignored;
    uint32_t found = 0;
    for (uint32_t k = 0; k < sizeof kind_names / sizeof *kind_names; k++) {
        const met_value *doc = met_value_get(e->value, kind_names[k]);
        if (!doc)
            continue;
        if (!met_value_to_string(arch->session, doc, "what a dim is", &ignored))
            return false;
        *ret_kind = (met_arch_kind)k;
        found++;
    }
    if (found == 1)
        return true;
    met_diag *d = met_diag_at(arch->session, MET_DIAG_field, &e->key_place,
                              "`%s` must be one of size, count, number, word and switch",
                              met_sym_text(arch->session, e->name));
    met_diag_help(d, "as in %s = { size = \"what it is\" }", met_sym_text(arch->session, e->name));
    return false;
}

/* Numbers alone have bounds, one of the two, and it is a number. */
static bool check_bounds(met_arch *arch, const met_arch_entry *e, met_arch_kind kind)
{
    const met_value *least = met_value_get(e->value, "least"), *above = met_value_get(e->value, "above"), *bound = least ? least : above;
    if (!bound || (kind == MET_ARCH_NUMBER && !(least && above) && (bound->kind == MET_VALUE_INTEGER || bound->kind == MET_VALUE_FLOAT)))
        return true;
    met_diag_at(arch->session, MET_DIAG_field, &bound->place, "`least` or `above` is a number that bounds a number");
    return false;
}

static bool declare(met_arch *arch, const met_arch_entry *e)
{
    static const char *const known[] = { "size", "count", "number", "word", "switch", "default", "of", "one_of", "least", "above" };
    met_arch_dim dim = { .name = e->name, .entry = e, .kind = MET_ARCH_SIZE };
    bool good = met_value_expect(arch->session, e->value, MET_VALUE_TABLE, "a dim");
    good = good && met_value_only(arch->session, e->value, known, sizeof known / sizeof *known) &&
        find_kind(arch, e, &dim.kind);
    MET_PUSH(arch->arena, &arch->dims, dim);
    if (!good)
        return false;
    bool natural = dim.kind == MET_ARCH_SIZE || dim.kind == MET_ARCH_COUNT;
    const met_value *of = met_value_get(e->value, "of"), *words = met_value_get(e->value, "one_of");
    if ((of && !natural) || (words && dim.kind != MET_ARCH_WORD)) {
        met_diag_at(arch->session, MET_DIAG_field, of && !natural ? &of->place : &words->place, "a %s has no such field",
                    kind_names[dim.kind]);
        return false;
    }
    if (!check_bounds(arch, e, dim.kind))
        return false;
    if (dim.kind == MET_ARCH_WORD && !check_words(arch, e))
        return false;
    return natural || met_value_require(arch->session, e->value, "default");
}

bool met_arch_declare(met_arch *arch)
{
    bool good = true;
    const met_arch_entries *entries = &arch->tables[MET_ARCH_DIMS];
    if (entries->list.count > MET_ARCH_DIMS_LIMIT) {
        met_diag_at(arch->session, MET_DIAG_input_too_large, &entries->list.at[0].key_place, "more than %d dims",
                    MET_ARCH_DIMS_LIMIT);
        return false;
    }
    for (size_t i = 0; i < entries->list.count; i++)
        good = declare(arch, &entries->list.at[i]) && good;
    return good;
}

met_arch_dim *met_arch_dim_of(const met_arch *arch, met_sym name)
{
    uint32_t index;
    return met_map_get_pair(arch->tables[MET_ARCH_DIMS].by_name, name.id, 0, &index) ? &arch->dims.at[index] : NULL;
}

met_arch_dim *met_arch_dim_named(const met_arch *arch, const met_value *value, const char *what, met_arch_kind kind)
{
    met_sym name;
    size_t count;
    if (!met_arch_word(arch, value, what, &name))
        return NULL;
    met_arch_dim *dim = met_arch_dim_of(arch, name);
    if (dim && dim->kind == kind)
        return dim;
    met_diag *d = met_diag_at(arch->session, MET_DIAG_model, &value->place, dim ? "`%s` is not a %s" : "there is no dim `%s`",
                              met_sym_text(arch->session, name), kind_names[kind]);
    const char *const *names = met_arch_names(arch, MET_ARCH_DIMS, &count);
    const char *near = dim ? NULL : met_nearest(met_sym_str(arch->session, name), names, count);
    if (near)
        met_diag_help(d, "did you mean `%s`?", near);
    return NULL;
}

/* --- Values --- */

static bool misfit(met_arch *arch, const met_arch_dim *dim, const met_value *value, const char *wanted)
{
    met_diag_at(arch->session, MET_DIAG_model, &value->place, "`%s` must be %s", met_sym_text(arch->session, dim->name),
                wanted);
    return false;
}

static bool take_word(met_arch *arch, met_arch_dim *dim, const met_value *value)
{
    const met_value *words = met_value_get(dim->entry->value, "one_of");
    met_sym word, one;
    if (value->kind != MET_VALUE_STRING || !met_arch_word(arch, value, "a word", &word))
        return misfit(arch, dim, value, "a word");
    met_text list = met_text_new(arch->arena);
    for (size_t i = 0; i < words->items.count; i++) {
        if (met_arch_word(arch, words->items.at[i], "a word", &one) && one.id == word.id) {
            dim->word = word;
            return true;
        }
        met_text_format(&list, "%s%.*s", i ? ", " : "one of ", MET_STR_ARGS(words->items.at[i]->string));
    }
    return misfit(arch, dim, value, met_text_done(&list));
}

/* Sizes are positive, except where the architecture itself says 0 (a position that nothing precedes). */
static bool take_size(met_arch *arch, met_arch_dim *dim, const met_value *value, int64_t least)
{
    if (value->kind == MET_VALUE_INTEGER && value->integer > LARGEST)
        return misfit(arch, dim, value, "an integer up to 2^48");
    if (value->kind != MET_VALUE_INTEGER || value->integer < least)
        return misfit(arch, dim, value, least ? "a positive integer" : "an integer from 0");
    dim->size = met_dim_constant(arch->arena, (uint64_t)value->integer);
    return true;
}

/* `least` and `above` of a number bound it from below. */
static bool take_number(met_arch *arch, met_arch_dim *dim, const met_value *value)
{
    if ((value->kind != MET_VALUE_INTEGER && value->kind != MET_VALUE_FLOAT) || !isfinite(value->number))
        return misfit(arch, dim, value, "a number");
    const met_value *least = met_value_get(dim->entry->value, "least"), *above = met_value_get(dim->entry->value, "above");
    if ((!least || value->number >= least->number) && (!above || value->number > above->number)) {
        dim->number = value->number;
        return true;
    }
    met_text wanted = met_text_new(arch->arena);
    met_text_put(&wanted, above ? "a number above " : "a number from ");
    met_text_double(&wanted, (above ? above : least)->number);
    return misfit(arch, dim, value, met_text_done(&wanted));
}

static bool take(met_arch *arch, met_arch_dim *dim, const met_value *value, int64_t least)
{
    switch (dim->kind) {
    case MET_ARCH_SIZE:
    case MET_ARCH_COUNT:
        return take_size(arch, dim, value, least);
    case MET_ARCH_NUMBER:
        return take_number(arch, dim, value);
    case MET_ARCH_WORD:
        return take_word(arch, dim, value);
    case MET_ARCH_SWITCH:
        if (value->kind != MET_VALUE_BOOL)
            return misfit(arch, dim, value, "true or false");
        dim->on = value->boolean;
        return true;
    }
    return false;
}

static bool same_value(const met_arch_dim *a, const met_arch_dim *b)
{
    if (a->kind == MET_ARCH_SIZE || a->kind == MET_ARCH_COUNT)
        return met_dim_equal(a->size, b->size);
    if (a->kind == MET_ARCH_NUMBER)
        return a->number == b->number;
    return a->kind == MET_ARCH_WORD ? a->word.id == b->word.id : a->on == b->on;
}

bool met_arch_give(met_arch *arch, met_arch_dim *dim, const met_value *value, const met_place *place)
{
    met_arch_dim old = *dim;
    if (!take(arch, dim, value, 1))
        return false;
    dim->known = true;
    dim->place = *place;
    if (!old.known || same_value(&old, dim))
        return true;
    met_diag *d = met_diag_at(arch->session, MET_DIAG_model, place, "`%s` is given two different values",
                              met_sym_text(arch->session, dim->name));
    met_diag_note_at(d, &old.place, "the other one comes from here");
    return false;
}

bool met_arch_count(const met_arch_dim *dim, uint64_t *ret_count)
{
    return dim->known && dim->size && met_dim_is_constant(dim->size, ret_count);
}

/* --- Settling --- */

bool met_arch_size(met_arch *arch, met_arch_dim *dim, const met_dim **ret_size)
{
    const met_value *of = met_value_get(dim->entry->value, "of"), *fallback = met_value_get(dim->entry->value, "default");
    bool good = true;
    if (dim->busy) {
        met_diag_at(arch->session, MET_DIAG_recursion, &dim->entry->key_place, "`%s` is made from itself",
                    met_sym_text(arch->session, dim->name));
        return false;
    }
    if (!dim->known) {
        dim->known = true;
        dim->busy = true;
        dim->place = dim->entry->key_place;
        if (of)
            good = met_arch_formula(arch, of, &dim->size);
        if (good && !dim->size && fallback)
            good = take_size(arch, dim, fallback, 0);
        if (good && !dim->size && dim->kind == MET_ARCH_SIZE)
            dim->size = met_builder_symbol(arch->builder, dim->name, dim->entry->key_place.span);
        dim->busy = false;
    }
    *ret_size = dim->size;
    return good;
}

static bool settle(met_arch *arch, met_arch_dim *dim)
{
    const met_dim *ignored;
    if (dim->kind == MET_ARCH_SIZE || dim->kind == MET_ARCH_COUNT)
        return met_arch_size(arch, dim, &ignored);
    if (dim->known)
        return true;
    dim->known = true;
    dim->place = dim->entry->key_place;
    return take(arch, dim, met_value_get(dim->entry->value, "default"), 0);
}

/* What the mode sets: an integer, or a formula over other dims. */
static bool set_one(met_arch *arch, const met_entry *e)
{
    met_sym name = met_intern(arch->session, e->key);
    met_arch_dim *dim = met_arch_dim_of(arch, name);
    if (!dim) {
        met_diag_at(arch->session, MET_DIAG_model, &e->key_place, "there is no dim `%.*s`", MET_STR_ARGS(e->key));
        return false;
    }
    if (e->value->kind != MET_VALUE_STRING || dim->kind == MET_ARCH_WORD) {
        dim->known = true;
        dim->place = e->value->place;
        return take(arch, dim, e->value, 0);
    }
    if (dim->kind != MET_ARCH_SIZE && dim->kind != MET_ARCH_COUNT)
        return misfit(arch, dim, e->value, "what its kind says");
    dim->known = false;
    dim->busy = true;
    bool good = met_arch_formula(arch, e->value, &dim->size);
    dim->busy = false;
    dim->known = dim->size != NULL;
    dim->place = e->value->place;
    return good;
}

static bool choose_mode(met_arch *arch, const char *mode)
{
    static const char *const known[] = { "summary", "set", "over" };
    const met_arch_entry *own = met_arch_entry_of(arch, MET_ARCH_MODEL, "mode");
    if (mode)
        arch->mode = met_intern(arch->session, met_str_of(mode));
    else if (own && !met_arch_word(arch, own->value, "the mode", &arch->mode))
        return false;
    if (!mode && !own) {
        met_diag *d = met_diag_at(arch->session, MET_DIAG_field, &arch->parts.at[0].value->place, "the field `model.mode` is missing");
        met_diag_help(d, "it names the one of [modes] that stands unless another is asked for");
        return false;
    }
    const met_arch_entry *e = met_arch_entry_by(arch, MET_ARCH_MODES, arch->mode);
    if (!e) {
        met_place nowhere = { 0 };
        size_t count;
        met_diag *d = met_diag_at(arch->session, MET_DIAG_model, mode ? &nowhere : &own->value->place,
                                  "`%s` has no mode `%s`",
                                  met_sym_text(arch->session, arch->name), met_sym_text(arch->session, arch->mode));
        const char *const *names = met_arch_names(arch, MET_ARCH_MODES, &count);
        met_text list = met_text_new(arch->arena);
        for (size_t i = 0; i < count; i++)
            met_text_format(&list, "%s%s", i ? ", " : "", names[i]);
        met_diag_help(d, count ? "its modes are %s" : "it declares none%s", met_text_done(&list));
        return false;
    }
    if (!met_value_expect(arch->session, e->value, MET_VALUE_TABLE, "a mode") ||
        !met_value_only(arch->session, e->value, known, 3))
        return false;
    const met_value *set = met_value_get(e->value, "set");
    arch->over = met_value_get(e->value, "over");
    if (set && !met_value_expect(arch->session, set, MET_VALUE_TABLE, "set"))
        return false;
    bool good = true;
    for (size_t i = 0; set && i < set->entries.count; i++)
        good = set_one(arch, &set->entries.at[i]) && good;
    return good;
}

bool met_arch_settle(met_arch *arch, met_builder *builder, const char *mode)
{
    arch->builder = builder;
    bool good = choose_mode(arch, mode);
    for (size_t i = 0; i < arch->dims.count; i++)
        good = settle(arch, &arch->dims.at[i]) && good;
    return good && met_arch_check(arch);
}
