/* HARDWARE.toml: what classes there are, what they can, what settings they state. Inheritance is in inherit.c. */
#include <string.h>

#include "lkb/read.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* --- Vocabularies: [capability] and [setting] --- */

static bool read_capabilities(met_lkb_reader *r, const met_value *file)
{
    bool good = true;
    const met_value *table = met_lkb_field(r, file, "capability", false, MET_VALUE_TABLE, &good);
    size_t count = table ? table->entries.count : 0;
    met_capability *list = MET_NEW_ARRAY(r->arena, met_capability, count);
    for (size_t i = 0; i < count; i++) {
        const met_entry *e = &table->entries.at[i];
        good = met_lkb_is_id(r, &e->key_place, e->key, "a capability") && good;
        list[i].name = e->key.at;
        good = met_lkb_text(r, table, e->key.at, true, &list[i].summary) && good;
    }
    r->lkb->capability_count = (uint32_t)count;
    r->lkb->capabilities = list;
    return good;
}

static bool read_settings(met_lkb_reader *r, const met_value *file)
{
    static const char *const known[] = { "values", "summary" };
    bool good = true;
    const met_value *table = met_lkb_field(r, file, "setting", false, MET_VALUE_TABLE, &good);
    size_t count = table ? table->entries.count : 0;
    met_setting_kind *list = MET_NEW_ARRAY(r->arena, met_setting_kind, count);
    for (size_t i = 0; i < count; i++) {
        const met_entry *e = &table->entries.at[i];
        list[i].name = e->key.at;
        list[i].span = e->key_place.span;
        if (!met_lkb_is_id(r, &e->key_place, e->key, "a setting") ||
            !met_value_expect(r->session, e->value, MET_VALUE_TABLE, "a setting")) {
            good = false;
            continue;
        }
        good = met_value_only(r->session, e->value, known, COUNT(known)) && good;
        good = met_lkb_names(r, e->value, "values", true, &list[i].values) && good;
        good = met_lkb_text(r, e->value, "summary", true, &list[i].summary) && good;
    }
    r->lkb->setting_count = (uint32_t)count;
    r->lkb->settings = list;
    return good;
}

bool met_lkb_capabilities(met_lkb_reader *r, const met_value *table, const char *key, met_name_list *ret_names)
{
    const char **names = MET_NEW_ARRAY(r->arena, const char *, r->lkb->capability_count);
    for (uint32_t i = 0; i < r->lkb->capability_count; i++)
        names[i] = r->lkb->capabilities[i].name;
    return met_lkb_names(r, table, key, false, ret_names) &&
           met_lkb_among(r, table, key, "capability", names, r->lkb->capability_count);
}

const met_setting_kind *met_lkb_setting(met_lkb_reader *r, const met_place *at, met_str name)
{
    const char **names = MET_NEW_ARRAY(r->arena, const char *, r->lkb->setting_count);
    for (uint32_t i = 0; i < r->lkb->setting_count; i++) {
        names[i] = r->lkb->settings[i].name;
        if (met_str_is(name, names[i]))
            return &r->lkb->settings[i];
    }
    met_lkb_unknown(r, at, "setting", name, names, r->lkb->setting_count);
    return NULL;
}

bool met_lkb_settings(met_lkb_reader *r, const met_value *table, const char *key, uint32_t *ret_count,
                      const met_setting **ret_settings)
{
    bool good = true;
    const met_value *given = met_lkb_field(r, table, key, false, MET_VALUE_TABLE, &good);
    size_t count = given ? given->entries.count : 0;
    met_setting *list = MET_NEW_ARRAY(r->arena, met_setting, count);
    for (size_t i = 0; i < count; i++) {
        const met_entry *e = &given->entries.at[i];
        const met_setting_kind *kind = met_lkb_setting(r, &e->key_place, e->key);
        uint32_t value = 0;
        if (!kind || !met_lkb_word(r, given, e->key.at, true, kind->values.names, kind->values.count, &value)) {
            good = false;
            continue;
        }
        list[i] = (met_setting){ kind->name, kind->values.names[value] };
    }
    *ret_count = (uint32_t)count;
    *ret_settings = list;
    return good;
}

/* --- Classes --- */

static bool read_absences(met_lkb_reader *r, const met_value *table, met_hardware *own)
{
    bool good = true;
    const met_value *absent = met_lkb_field(r, table, "absent", false, MET_VALUE_TABLE, &good);
    size_t count = absent ? absent->entries.count : 0;
    met_absence *list = MET_NEW_ARRAY(r->arena, met_absence, count);
    for (size_t i = 0; i < count; i++) {
        list[i].kernel = absent->entries.at[i].key.at;
        list[i].span = absent->entries.at[i].key_place.span;
        good = met_lkb_text(r, absent, list[i].kernel, true, &list[i].reason) && good;
    }
    own->absence_count = (uint32_t)count;
    own->absences = list;
    return good;
}

static bool read_class(met_lkb_reader *r, const met_entry *entry, met_class_file *class)
{
    static const char *const known[] = { "inherits", "realizes", "summary", "defaults", "capabilities", "without", "absent",
                                         "residual", "matrix_units" };
    const met_value *table = entry->value;
    met_hardware *own = &class->own;
    own->id = entry->key.at;
    own->span = table->place.span;
    if (!met_lkb_is_id(r, &entry->key_place, entry->key, "a class") ||
        !met_value_expect(r->session, table, MET_VALUE_TABLE, "a class"))
        return false;
    bool good = met_value_only(r->session, table, known, COUNT(known));
    const met_value *parent = met_value_get(table, "inherits");
    if (parent) {
        class->parent_span = parent->place.span;
        good = met_lkb_id(r, table, "inherits", &own->parent) && good;
    }
    if (met_value_get(table, "realizes"))
        good = met_lkb_id(r, table, "realizes", &own->class_name) && good;
    good = met_lkb_text(r, table, "summary", true, &own->summary) && good;
    good = met_lkb_settings(r, table, "defaults", &own->default_count, &own->defaults) && good;
    good = met_lkb_capabilities(r, table, "capabilities", &own->capabilities) && good;
    good = met_lkb_capabilities(r, table, "without", &class->without) && good;
    good = read_absences(r, table, own) && good;
    good = met_lkb_names(r, table, "residual", false, &own->residual) && good;
    uint32_t count;
    const met_op_id *ops;
    if (met_value_get(table, "matrix_units"))
        good = met_lkb_ops(r, table, "matrix_units", &count, &ops) &&
               met_lkb_names(r, table, "matrix_units", true, &own->matrix_units) && good;
    return good;
}

/* The number of a class; the count of classes if there is none. */
static uint32_t class_of(const met_class_file *classes, uint32_t count, const char *id)
{
    uint32_t k = 0;
    while (k < count && strcmp(classes[k].own.id, id) != 0)
        k++;
    return k;
}

static bool check_parents(met_lkb_reader *r, const met_class_file *classes, uint32_t count)
{
    bool good = true;
    const char **names = MET_NEW_ARRAY(r->arena, const char *, count);
    for (uint32_t i = 0; i < count; i++)
        names[i] = classes[i].own.id;
    for (uint32_t i = 0; i < count; i++) {
        const char *parent = classes[i].own.parent;
        met_place at = { .span = classes[i].parent_span };
        if (parent && class_of(classes, count, parent) == count)
            good = met_lkb_unknown(r, &at, "class", met_str_of(parent), names, count);
    }
    for (uint32_t i = 0; good && i < count; i++) {
        uint32_t at = i, steps = 0;
        while (classes[at].own.parent && steps++ <= count)
            at = class_of(classes, count, classes[at].own.parent);
        if (steps > count)
            good = met_lkb_wrong(r, classes[i].parent_span, "`%s` inherits from itself", classes[i].own.id);
    }
    return good;
}

bool met_lkb_read_hardware(met_lkb_reader *r, const met_value *file)
{
    static const char *const known[] = { "capability", "setting", "class" };
    if (!met_value_expect(r->session, file, MET_VALUE_TABLE, "a file of classes"))
        return false;
    bool good = met_value_only(r->session, file, known, COUNT(known));
    good = read_capabilities(r, file) && good;
    good = read_settings(r, file) && good;
    const met_value *table = met_lkb_field(r, file, "class", true, MET_VALUE_TABLE, &good);
    size_t count = table ? table->entries.count : 0;
    if (count == 0 || count > 32)
        return table ? met_lkb_wrong(r, table->place.span, "there must be 1 to 32 classes") : false;
    met_class_file *classes = MET_NEW_ARRAY(r->arena, met_class_file, count);
    for (size_t i = 0; i < count; i++)
        good = read_class(r, &table->entries.at[i], &classes[i]) && good;
    r->class_count = (uint32_t)count;
    r->classes = classes;
    return good && check_parents(r, classes, (uint32_t)count);
}
