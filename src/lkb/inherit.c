/* Inheritance: a class has what its parent has, with changes. Defaults: by name. Capabilities: added, or taken away
 * (`without`). Families and rules: the same id replaces in place, new ones follow, `remove` takes away. Absences: the parent's
 * and more. The policy: step by step, op by op. What audits one class (matrix_units) and what it is (realizes) are its own. Evidence belongs to a class and a
 * device (host/evidence.h), so that none is inherited. */
#include <stdlib.h>
#include <string.h>

#include "lkb/read.h"

/* The overlay of a class: its files, read; the main ones for a root. */
typedef struct own_files {
    bool has_families, has_rules;
    met_family_file families;
    met_rule_file rules;
    met_policy policy;
} own_files;

typedef struct heir {
    met_hardware hardware;
    bool done;
    own_files own;
    MET_VEC(const met_rule *) rules;
    MET_VEC(const met_family *) families; /* all of them; hardware has those that survive on it */
    MET_VEC(const met_family *) removed;  /* by its own file */
} heir;

/* --- Names and settings --- */

static met_name_list join_names(met_arena *arena, met_name_list parent, met_name_list own, met_name_list without)
{
    const char **names = MET_NEW_ARRAY(arena, const char *, (size_t)parent.count + own.count);
    met_name_list all = { 0, names };
    const met_name_list *lists[] = { &parent, &own };
    for (size_t l = 0; l < 2; l++)
        for (uint32_t i = 0; i < lists[l]->count; i++)
            if (!met_name_list_has(&all, lists[l]->names[i]) && !met_name_list_has(&without, lists[l]->names[i]))
                names[all.count++] = lists[l]->names[i];
    return all;
}

static void join_defaults(met_arena *arena, met_hardware *to, const met_hardware *parent, const met_hardware *own)
{
    met_setting *all = MET_NEW_ARRAY(arena, met_setting, (size_t)parent->default_count + own->default_count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < parent->default_count; i++) {
        const char *changed = met_hardware_setting(own, parent->defaults[i].name);
        all[count++] = (met_setting){ parent->defaults[i].name, changed ? changed : parent->defaults[i].value };
    }
    for (uint32_t i = 0; i < own->default_count; i++)
        if (!met_hardware_setting(parent, own->defaults[i].name))
            all[count++] = own->defaults[i];
    to->default_count = count;
    to->defaults = all;
}

static void join_absences(met_arena *arena, met_hardware *to, const met_hardware *parent, const met_hardware *own)
{
    uint32_t count = parent->absence_count + own->absence_count;
    met_absence *all = MET_NEW_ARRAY(arena, met_absence, count);
    for (uint32_t i = 0; i < count; i++)
        all[i] = i < parent->absence_count ? parent->absences[i] : own->absences[i - parent->absence_count];
    to->absence_count = count;
    to->absences = all;
}

static bool lost_nothing_unknown(met_lkb_reader *r, const met_class_file *class, const met_hardware *parent)
{
    bool good = true;
    for (uint32_t i = 0; i < class->without.count; i++)
        if (!parent || !met_name_list_has(&parent->capabilities, class->without.names[i]))
            good = met_lkb_wrong(r, class->own.span, "the class `%s` is without `%s`, which it inherits from nobody", class->own.id,
                                 class->without.names[i]);
    return good;
}

/* --- Rules and families --- */

/* Both kinds of thing begin with their id, so one order serves both: number of the id in the list, or its length. */
static uint32_t rule_at(const heir *h, const char *id)
{
    uint32_t i = 0;
    while (i < h->rules.count && strcmp(h->rules.at[i]->id, id) != 0)
        i++;
    return i;
}

static uint32_t family_at(const heir *h, const char *id)
{
    uint32_t i = 0;
    while (i < h->families.count && strcmp(h->families.at[i]->id, id) != 0)
        i++;
    return i;
}

static bool unknown_removal(met_lkb_reader *r, const met_lkb_removal *removal, const met_hardware *parent, const char *what)
{
    return parent ? met_lkb_wrong(r, removal->span, "the parent `%s` has no %s `%s` to remove", parent->id, what, removal->id) :
                    met_lkb_wrong(r, removal->span, "there is no parent whose %s `%s` could be removed", what, removal->id);
}

static bool join_rules(met_lkb_reader *r, heir *h, const heir *parent)
{
    bool good = true;
    const met_rule_file *own = &h->own.rules;
    for (size_t i = 0; parent && i < parent->rules.count; i++)
        MET_PUSH(r->arena, &h->rules, parent->rules.at[i]);
    for (uint32_t i = 0; i < own->removal_count; i++) {
        uint32_t at = rule_at(h, own->removals[i].id);
        if (!parent || at == h->rules.count) {
            good = unknown_removal(r, &own->removals[i], parent ? &parent->hardware : NULL, "rule");
            continue;
        }
        for (h->rules.count--; at < h->rules.count; at++)
            h->rules.at[at] = h->rules.at[at + 1];
    }
    for (uint32_t i = 0; i < own->rule_count; i++) {
        uint32_t at = rule_at(h, own->rules[i].id);
        if (at < h->rules.count)
            h->rules.at[at] = &own->rules[i];
        else
            MET_PUSH(r->arena, &h->rules, &own->rules[i]);
    }
    return good;
}

static bool join_families(met_lkb_reader *r, heir *h, const heir *parent)
{
    bool good = true;
    const met_family_file *own = &h->own.families;
    for (size_t i = 0; parent && i < parent->families.count; i++)
        MET_PUSH(r->arena, &h->families, parent->families.at[i]);
    for (uint32_t i = 0; i < own->removal_count; i++) {
        uint32_t at = family_at(h, own->removals[i].id);
        if (!parent || at == h->families.count) {
            good = unknown_removal(r, &own->removals[i], parent ? &parent->hardware : NULL, "family");
            continue;
        }
        MET_PUSH(r->arena, &h->removed, h->families.at[at]);
        for (h->families.count--; at < h->families.count; at++)
            h->families.at[at] = h->families.at[at + 1];
    }
    for (uint32_t i = 0; i < own->family_count; i++) {
        uint32_t at = family_at(h, own->families[i].id);
        if (at < h->families.count)
            h->families.at[at] = &own->families[i];
        else
            MET_PUSH(r->arena, &h->families, &own->families[i]);
    }
    return good;
}

static int by_priority(const void *a, const void *b)
{
    const met_rule *x = *(const met_rule *const *)a, *y = *(const met_rule *const *)b;
    return x->priority != y->priority ? (x->priority < y->priority) - (x->priority > y->priority) : strcmp(x->id, y->id);
}

static bool has_all(const met_hardware *hardware, const met_name_list *needs)
{
    for (uint32_t i = 0; i < needs->count; i++)
        if (!met_name_list_has(&hardware->capabilities, needs->names[i]))
            return false;
    return true;
}

/* The family as the class has it: the points whose needs it meets. NULL if no point or no kernel is left. */
static const met_family *survivor(met_arena *arena, const met_family *family, const met_hardware *hardware)
{
    bool any = false;
    for (uint32_t i = 0; i < family->kernels.count; i++) {
        bool absent = false;
        for (uint32_t k = 0; k < hardware->absence_count; k++)
            absent = absent || strcmp(hardware->absences[k].kernel, family->kernels.names[i]) == 0;
        any = any || !absent;
    }
    if (!any || !has_all(hardware, &family->needs))
        return NULL;
    met_family *own = MET_NEW(arena, met_family);
    met_family_point *points = MET_NEW_ARRAY(arena, met_family_point, family->point_count);
    *own = *family;
    own->points = points;
    own->point_count = 0;
    for (uint32_t i = 0; i < family->point_count; i++)
        if (has_all(hardware, &family->points[i].needs))
            points[own->point_count++] = family->points[i];
    return own->point_count == family->point_count ? family : own->point_count ? own : NULL;
}

static void settle(met_lkb_reader *r, heir *h)
{
    met_hardware *hardware = &h->hardware;
    const met_family **families = MET_NEW_ARRAY(r->arena, const met_family *, h->families.count);
    for (size_t i = 0; i < h->families.count; i++) {
        const met_family *own = survivor(r->arena, h->families.at[i], hardware);
        if (own)
            families[hardware->family_count++] = own;
    }
    hardware->families = families;
    const met_rule **rules = met_arena_copy(r->arena, h->rules.at, h->rules.count, sizeof *h->rules.at);
    if (h->rules.count > 1)
        qsort(rules, h->rules.count, sizeof *rules, by_priority);
    hardware->rule_count = (uint32_t)h->rules.count;
    hardware->rules = rules;
}

/* --- Classes --- */

static uint32_t class_of(const met_lkb_reader *r, const char *id)
{
    uint32_t k = 0;
    while (k < r->class_count && strcmp(r->classes[k].own.id, id) != 0)
        k++;
    return k;
}

/* Chains of parents have no cycle, so this ends; they are at most as long as there are classes. */
static bool build(met_lkb_reader *r, heir *heirs, uint32_t number, const met_policy *main_policy)
{
    heir *h = &heirs[number];
    const met_class_file *class = &r->classes[number];
    if (h->done)
        return true;
    h->done = true;
    const heir *parent = class->own.parent ? &heirs[class_of(r, class->own.parent)] : NULL;
    if (parent && !build(r, heirs, class_of(r, class->own.parent), main_policy))
        return false;
    static const met_hardware nothing = { 0 };
    const met_hardware *from = parent ? &parent->hardware : &nothing;
    bool good = lost_nothing_unknown(r, class, parent ? from : NULL);
    h->hardware = class->own;
    h->hardware.capabilities = join_names(r->arena, from->capabilities, class->own.capabilities, class->without);
    join_defaults(r->arena, &h->hardware, from, &class->own);
    join_absences(r->arena, &h->hardware, from, &class->own);
    h->hardware.policy = met_lkb_join_policy(r->arena, parent ? &from->policy : main_policy, &h->own.policy);
    good = join_families(r, h, parent) && good;
    good = join_rules(r, h, parent) && good;
    settle(r, h);
    met_class_families families = { (uint32_t)h->families.count, (uint32_t)h->removed.count, h->families.at, h->removed.at };
    return met_lkb_check_class(r, &h->hardware, &families, &class->own, &h->own.families, &h->own.rules) && good;
}

static bool read_overlay(met_lkb_reader *r, const met_lkb_overlay *overlay, heir *heirs)
{
    uint32_t k = class_of(r, overlay->class_id);
    if (k == r->class_count) {
        const char **names = MET_NEW_ARRAY(r->arena, const char *, r->class_count);
        for (uint32_t i = 0; i < r->class_count; i++)
            names[i] = r->classes[i].own.id;
        const met_value *file = overlay->families ? overlay->families : overlay->fusions ? overlay->fusions : overlay->precision;
        met_place nowhere = { 0 };
        return met_lkb_unknown(r, file ? &file->place : &nowhere, "class", met_str_of(overlay->class_id), names, r->class_count);
    }
    bool good = true;
    if (overlay->families)
        good = met_lkb_read_families(r, overlay->families, true, &heirs[k].own.families);
    if (overlay->fusions)
        good = met_lkb_read_rules(r, overlay->fusions, &heirs[k].own.rules) && good;
    if (overlay->precision)
        good = met_lkb_read_policy(r, overlay->precision, true, &heirs[k].own.policy) && good;
    heirs[k].own.has_families = overlay->families != NULL;
    heirs[k].own.has_rules = overlay->fusions != NULL;
    return good;
}

bool met_lkb_inherit(met_lkb_reader *r, const met_family_file *families, const met_rule_file *rules, const met_policy *policy,
                     const met_lkb_sources *sources)
{
    heir *heirs = MET_NEW_ARRAY(r->arena, heir, r->class_count);
    bool good = true;
    for (uint32_t i = 0; i < sources->overlay_count; i++)
        good = read_overlay(r, &sources->overlays[i], heirs) && good;
    for (uint32_t i = 0; i < r->class_count; i++) {
        if (r->classes[i].own.parent)
            continue;
        if (!heirs[i].own.has_families)
            heirs[i].own.families = *families;
        if (!heirs[i].own.has_rules)
            heirs[i].own.rules = *rules;
    }
    for (uint32_t i = 0; good && i < r->class_count; i++)
        good = build(r, heirs, i, policy);
    met_hardware *hardware = MET_NEW_ARRAY(r->arena, met_hardware, r->class_count);
    for (uint32_t i = 0; good && i < r->class_count; i++)
        hardware[i] = heirs[i].hardware;
    r->lkb->hardware_count = good ? r->class_count : 0;
    r->lkb->hardware = hardware;
    return good;
}
