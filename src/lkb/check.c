/* What must hold of a class as a whole: kernels have one family, rules name kernels and settings that exist, audits hold. */
#include <string.h>

#include "lkb/read.h"
#include "lkb/step.h"

typedef struct checker {
    met_lkb_reader *r;
    const met_hardware *hardware;
    uint32_t family_count;
    const met_family *const *families;
    uint32_t removed_count;
    const met_family *const *removed;
    met_map *owner; /* of a kernel: number of its family */
    const char **kernels;
    size_t kernel_count;
} checker;

static bool list_kernels(checker *c)
{
    size_t total = 0;
    bool good = true;
    for (uint32_t f = 0; f < c->family_count; f++)
        total += c->families[f]->kernels.count;
    c->kernels = MET_NEW_ARRAY(c->r->arena, const char *, total);
    for (uint32_t f = 0; f < c->family_count; f++)
        for (uint32_t i = 0; i < c->families[f]->kernels.count; i++) {
            const char *kernel = c->families[f]->kernels.names[i];
            uint32_t first;
            if (met_map_get(c->owner, met_str_of(kernel), &first)) {
                met_diag *d = met_diag_add(c->r->session, MET_DIAG_duplicate_name, c->families[f]->span,
                                           "the kernel `%s` is in two families: `%s` and `%s`", kernel, c->families[first]->id, c->families[f]->id);
                met_diag_note(d, c->families[first]->span, "`%s` is here", c->families[first]->id);
                good = false;
                continue;
            }
            met_map_set(c->owner, met_str_of(kernel), f);
            c->kernels[c->kernel_count++] = kernel;
        }
    return good;
}

/* The family of a kernel among those that the class's own file removes; NULL: none. */
static const met_family *removed_family(const checker *c, const char *kernel)
{
    for (uint32_t f = 0; f < c->removed_count; f++)
        if (met_name_list_has(&c->removed[f]->kernels, kernel))
            return c->removed[f];
    return NULL;
}

static bool unknown_kernel(checker *c, met_span span, const char *kernel)
{
    const met_family *removed = removed_family(c, kernel);
    if (removed) {
        met_diag *d = met_diag_add(c->r->session, MET_DIAG_unknown_name, span, "there is no kernel `%s`", kernel);
        met_diag_help(d, "the family `%s` has it, which the class `%s` removes", removed->id, c->hardware->id);
        return false;
    }
    met_place at = { .span = span };
    return met_lkb_unknown(c->r, &at, "kernel", met_str_of(kernel), c->kernels, c->kernel_count);
}

static bool check_own(checker *c, const met_hardware *own)
{
    bool good = true;
    uint32_t family;
    for (uint32_t i = 0; i < own->absence_count; i++)
        if (!met_map_get(c->owner, met_str_of(own->absences[i].kernel), &family))
            good = unknown_kernel(c, own->absences[i].span, own->absences[i].kernel);
    for (uint32_t i = 0; i < own->residual.count; i++)
        if (met_map_get(c->owner, met_str_of(own->residual.names[i]), &family))
            good = met_lkb_wrong(c->r, own->span, "the kernel `%s` is of the family `%s`, so it is no residual",
                                 own->residual.names[i], c->families[family]->id);
    return good;
}

/* --- Rules --- */

static bool family_has(const met_family *family, met_op_id op)
{
    for (uint32_t i = 0; i < family->op_count; i++)
        if (family->ops[i].op == op)
            return true;
    return false;
}

static void help_with_families(checker *c, met_diag *d, met_op_id op)
{
    met_text list = met_text_new(c->r->arena);
    for (uint32_t f = 0; f < c->family_count; f++)
        if (family_has(c->families[f], op))
            met_text_format(&list, "%s`%s`", list.length ? ", " : "", c->families[f]->id);
    if (list.length)
        met_diag_help(d, "families with it: %s", met_text_done(&list));
    else
        met_diag_help(d, "no family has it: add it to the ops of one");
}

/* Some kernel of the rule is of a family with this op. */
static bool check_op(checker *c, const met_rule *rule, const met_rule_element *element, met_op_id op)
{
    for (uint32_t k = 0; k < rule->kernels.count; k++) {
        uint32_t family;
        if (met_map_get(c->owner, met_str_of(rule->kernels.names[k]), &family) && family_has(c->families[family], op))
            return true;
    }
    met_diag *d = met_diag_add(c->r->session, MET_DIAG_blueprint, element->span, "no family of the kernels of `%s` has the op `%s`",
                               rule->id, met_op_by_id(op)->name);
    help_with_families(c, d, op);
    return false;
}

static bool check_rule(checker *c, const met_rule *rule)
{
    bool good = true;
    uint32_t family;
    for (uint32_t k = 0; k < rule->kernels.count; k++)
        if (!met_map_get(c->owner, met_str_of(rule->kernels.names[k]), &family))
            good = unknown_kernel(c, rule->kernel_spans[k], rule->kernels.names[k]);
    for (uint32_t e = 0; good && e < rule->element_count; e++)
        for (uint32_t i = 0; i < rule->elements[e].op_count; i++)
            good = check_op(c, rule, &rule->elements[e], rule->elements[e].ops[i]) && good;
    return good;
}

static bool check_setting(checker *c, const met_rule *rule, const char *name)
{
    if (met_hardware_setting(c->hardware, name))
        return true;
    met_diag *d = met_diag_add(c->r->session, MET_DIAG_blueprint, rule->span, "the rule `%s` reads the setting `%s`, which the class `%s` does not state",
                               rule->id, name, c->hardware->id);
    met_diag_note(d, c->hardware->span, "state it in the defaults of this class or of one that it inherits from");
    return false;
}

static bool check_settings(checker *c)
{
    bool good = true;
    for (uint32_t i = 0; i < c->hardware->rule_count; i++) {
        const met_rule *rule = c->hardware->rules[i];
        for (uint32_t k = 0; k < rule->when_count; k++)
            good = check_setting(c, rule, rule->when[k].name) && good;
        good = (!rule->lever || check_setting(c, rule, rule->lever)) && good;
    }
    for (uint32_t f = 0; f < c->family_count; f++)
        for (uint32_t p = 0; p < c->families[f]->param_count; p++) {
            const met_family_param *param = &c->families[f]->params[p];
            if (param->extract == MET_EXTRACT_SETTING && !met_hardware_setting(c->hardware, param->argument))
                good = met_lkb_wrong(c->r, param->span, "the family `%s` reads the setting `%s`, which the class `%s` does not state",
                                     c->families[f]->id, param->argument, c->hardware->id);
        }
    return good;
}

/* --- Audits --- */

static bool has_product(const met_family *family, const char *op)
{
    for (uint32_t s = 0; s < family->step_count; s++)
        if (strcmp(family->steps[s].step, "mma") == 0 && strcmp(met_op_by_id(family->steps[s].op)->name, op) == 0)
            return true;
    return false;
}

static bool check_matrix_units(checker *c)
{
    bool good = true;
    for (uint32_t u = 0; u < c->hardware->matrix_units.count; u++)
        for (uint32_t f = 0; f < c->hardware->family_count; f++) {
            const met_family *family = c->hardware->families[f];
            const char *op = c->hardware->matrix_units.names[u];
            if (family_has(family, met_op_find(met_str_of(op))->id) && !has_product(family, op))
                good = met_lkb_wrong(c->r, c->hardware->span, "`%s` wants `%s` on matrix units, and the family `%s` has no step `mma` for it",
                                     c->hardware->id, op, family->id);
        }
    return good;
}

/* --- Departures --- */

/* Whether the family has the step in this precision, for any op. */
static bool has_step_in(const met_family *family, const met_departs *one)
{
    for (uint32_t s = 0; s < family->step_count; s++) {
        met_str first, second;
        if (strcmp(family->steps[s].step, one->step) != 0)
            continue;
        met_step_sides(met_step_table[met_step_find(met_str_of(one->step))].form, met_str_of(family->steps[s].precision), &first, &second);
        if (met_str_is(first, one->precision) || met_str_is(second, one->precision))
            return true;
    }
    return false;
}

/* A family departs in what its pipeline has, and where the policy requires more. */
static bool check_departs(checker *c, const met_family *family)
{
    bool good = true;
    for (uint32_t i = 0; i < family->departs.count; i++) {
        const met_departs *one = &family->departs.at[i];
        const met_policy_step *row = met_policy_of(&c->hardware->policy, one->step);
        if (!has_step_in(family, one)) {
            met_diag *d = met_diag_add(c->r->session, MET_DIAG_blueprint, one->span, "the family `%s` says that its step `%s` departs in %s, and has none such",
                                       family->id, one->step, one->precision);
            met_diag_help(d, "its pipeline says what its kernels do; `departs` only that it is meant");
            good = false;
        } else if (!row || row->requires == MET_REQUIRES_ANY ||
                   (row->precision && met_precision_holds(met_str_of(one->precision), met_str_of(row->precision)))) {
            good = met_lkb_wrong(c->r, one->span, "the step `%s` of the family `%s` departs from nothing: the policy requires %s of it, and it has %s", one->step,
                                 family->id, row && row->precision ? row->precision : "nothing", one->precision);
        }
    }
    return good;
}

bool met_lkb_check_class(met_lkb_reader *r, const met_hardware *hardware, const met_class_families *families,
                         const met_hardware *own, const met_family_file *own_families, const met_rule_file *own_rules)
{
    checker c = { .r = r, .hardware = hardware, .family_count = families->count, .families = families->all,
                  .removed_count = families->removed_count, .removed = families->removed, .owner = met_map_new(r->arena) };
    bool good = list_kernels(&c);
    good = check_own(&c, own) && good;
    for (uint32_t i = 0; i < own_rules->rule_count; i++)
        good = check_rule(&c, &own_rules->rules[i]) && good;
    for (uint32_t f = 0; f < own_families->family_count; f++)
        good = check_departs(&c, &own_families->families[f]) && good;
    good = check_settings(&c) && good;
    return check_matrix_units(&c) && good;
}
