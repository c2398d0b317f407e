/* PRECISION.toml: what precision every step of a pipeline must have, and what steps an op must have; and what rules and families
 * say that they do in less. */
#include <string.h>

#include "lkb/read.h"
#include "lkb/step.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const struct {
    const char *word;
    met_requires requires;
    int form; /* that a step must have to require it; -1: any */
} words[] = {
    { "any", MET_REQUIRES_ANY, -1 },
    { "inputs", MET_REQUIRES_INPUTS, MET_STEP_ONE },
    { "operand", MET_REQUIRES_OPERAND, MET_STEP_ONE },
    { "weight", MET_REQUIRES_WEIGHT, MET_STEP_STORED },
    { "factors", MET_REQUIRES_FACTORS, MET_STEP_PRODUCT },
    { "result", MET_REQUIRES_RESULT, MET_STEP_ONE },
};

/* --- Steps --- */

bool met_lkb_unknown_step(met_lkb_reader *r, const met_place *at, met_str name)
{
    const char *names[MET_STEPS];
    for (size_t s = 0; s < MET_STEPS; s++)
        names[s] = met_step_table[s].name;
    return met_lkb_unknown(r, at, "step", name, names, MET_STEPS);
}

static bool wrong_requirement(met_lkb_reader *r, const met_value *value, const met_step_kind *kind, bool out)
{
    static const char *const holds[] = { [MET_STEP_STORED] = "weight", [MET_STEP_PRODUCT] = "factors" };
    met_diag *d = met_diag_at(r->session, MET_DIAG_blueprint, &value->place, "the step `%s` cannot require `%.*s`", kind->name,
                              MET_STR_ARGS(value->string));
    if (out || kind->form != MET_STEP_ONE)
        met_diag_help(d, "it requires `any` or `%s`", out ? "result" : holds[kind->form]);
    else
        met_diag_help(d, "it requires `any`, `inputs`, `operand`, or a precision: %s", met_precision_spellings);
    return false;
}

/* Results are what a plan stores: the step `out`, and no other. */
static bool read_requirement(met_lkb_reader *r, const met_value *value, size_t step, met_policy_step *ret_step)
{
    const met_step_kind *kind = &met_step_table[step];
    bool out = strcmp(kind->name, "out") == 0;
    *ret_step = (met_policy_step){ .step = kind->name };
    if (!met_value_expect(r->session, value, MET_VALUE_STRING, kind->name))
        return false;
    for (size_t w = 0; w < COUNT(words); w++) {
        if (!met_str_is(value->string, words[w].word))
            continue;
        ret_step->requires = words[w].requires;
        bool fits = words[w].form < 0 || (words[w].form == (int)kind->form && out == (words[w].requires == MET_REQUIRES_RESULT));
        return fits || wrong_requirement(r, value, kind, out);
    }
    ret_step->requires = MET_REQUIRES_PRECISION;
    ret_step->precision = value->string.at;
    return (kind->form == MET_STEP_ONE && !out && met_precision_is(value->string)) || wrong_requirement(r, value, kind, out);
}

static bool read_steps(met_lkb_reader *r, const met_value *file, bool overlay, met_policy *policy)
{
    bool good = true;
    const met_value *table = met_lkb_field(r, file, "step", !overlay, MET_VALUE_TABLE, &good);
    met_policy_step *steps = MET_NEW_ARRAY(r->arena, met_policy_step, MET_STEPS);
    for (size_t s = 0; table && s < MET_STEPS; s++) {
        const met_value *value = met_value_get(table, met_step_table[s].name);
        if (value)
            good = read_requirement(r, value, s, &steps[policy->step_count++]) && good;
        else if (!overlay)
            good = met_lkb_wrong(r, table->place.span, "nothing is said of the step `%s`", met_step_table[s].name);
    }
    for (size_t i = 0; table && i < table->entries.count; i++)
        if (met_step_find(table->entries.at[i].key) == MET_STEPS)
            good = met_lkb_unknown_step(r, &table->entries.at[i].key_place, table->entries.at[i].key);
    policy->steps = steps;
    return good;
}

/* --- What an op must have --- */

static bool read_need(met_lkb_reader *r, const met_value *table, const char *op, met_policy_need *need)
{
    const met_value *value = met_value_get(table, op);
    bool good = met_lkb_names(r, table, op, true, &need->steps);
    for (uint32_t i = 0; good && i < need->steps.count; i++)
        if (met_step_find(met_str_of(need->steps.names[i])) == MET_STEPS)
            good = met_lkb_unknown_step(r, &met_lkb_item(value, i)->place, met_str_of(need->steps.names[i]));
    return good;
}

static bool known_ops(met_lkb_reader *r, const met_value *table)
{
    const char *names[MET_OP_COUNT];
    bool good = true;
    for (int k = 0; k < MET_OP_COUNT; k++)
        names[k] = met_op_by_id((met_op_id)k)->name;
    for (size_t i = 0; i < table->entries.count; i++)
        if (!met_op_find(table->entries.at[i].key))
            good = met_lkb_unknown(r, &table->entries.at[i].key_place, "op", table->entries.at[i].key, names, MET_OP_COUNT);
    return good;
}

static bool read_needs(met_lkb_reader *r, const met_value *file, met_policy *policy)
{
    bool good = true;
    const met_value *table = met_lkb_field(r, file, "op", false, MET_VALUE_TABLE, &good);
    met_policy_need *needs = MET_NEW_ARRAY(r->arena, met_policy_need, MET_OP_COUNT);
    for (int k = 0; table && k < MET_OP_COUNT; k++) {
        const char *name = met_op_by_id((met_op_id)k)->name;
        if (!met_value_get(table, name))
            continue;
        needs[policy->need_count] = (met_policy_need){ .op = (met_op_id)k };
        good = read_need(r, table, name, &needs[policy->need_count++]) && good;
    }
    policy->needs = needs;
    return (!table || known_ops(r, table)) && good;
}

bool met_lkb_read_policy(met_lkb_reader *r, const met_value *file, bool overlay, met_policy *ret_policy)
{
    static const char *const known[] = { "step", "op" };
    if (!met_value_expect(r->session, file, MET_VALUE_TABLE, "a file of precisions"))
        return false;
    bool good = met_value_only(r->session, file, known, COUNT(known));
    good = read_steps(r, file, overlay, ret_policy) && good;
    return read_needs(r, file, ret_policy) && good;
}

met_policy met_lkb_join_policy(met_arena *arena, const met_policy *parent, const met_policy *own)
{
    met_policy_step *steps = MET_NEW_ARRAY(arena, met_policy_step, (size_t)parent->step_count + own->step_count);
    met_policy_need *needs = MET_NEW_ARRAY(arena, met_policy_need, (size_t)parent->need_count + own->need_count);
    met_policy policy = { .steps = steps, .needs = needs };
    for (size_t s = 0; s < MET_STEPS; s++) {
        const met_policy_step *row = met_policy_of(own, met_step_table[s].name);
        row = row ? row : met_policy_of(parent, met_step_table[s].name);
        if (row)
            steps[policy.step_count++] = *row;
    }
    for (int k = 0; k < MET_OP_COUNT; k++) {
        const met_policy_need *row = met_policy_need_of(own, (met_op_id)k);
        row = row ? row : met_policy_need_of(parent, (met_op_id)k);
        if (row)
            needs[policy.need_count++] = *row;
    }
    return policy;
}

/* --- Departures --- */

bool met_lkb_read_departs(met_lkb_reader *r, const met_value *table, met_departs_list *ret_list)
{
    bool good = true;
    const met_value *departs = met_lkb_field(r, table, "departs", false, MET_VALUE_TABLE, &good);
    size_t count = departs ? departs->entries.count : 0;
    met_departs *list = MET_NEW_ARRAY(r->arena, met_departs, count);
    if (departs && count == 0)
        good = met_lkb_wrong(r, departs->place.span, "`departs` names a step and its precision, such as { accumulate = \"bf16\" }");
    for (size_t i = 0; i < count; i++) {
        const met_entry *e = &departs->entries.at[i];
        size_t step = met_step_find(e->key);
        if (step == MET_STEPS) {
            good = met_lkb_unknown_step(r, &e->key_place, e->key);
            continue;
        }
        if (!met_value_expect(r->session, e->value, MET_VALUE_STRING, met_step_table[step].name)) {
            good = false;
        } else if (!met_precision_is(e->value->string)) {
            met_diag *d = met_diag_at(r->session, MET_DIAG_blueprint, &e->value->place, "`%.*s` is no precision", MET_STR_ARGS(e->value->string));
            met_diag_help(d, "it is one of %s", met_precision_spellings);
            good = false;
        } else {
            list[ret_list->count++] = (met_departs){ met_step_table[step].name, e->value->string.at, e->value->place.span };
        }
    }
    ret_list->at = list;
    return good;
}

bool met_departs_has(const met_departs_list *list, const char *step, const char *precision)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->at[i].step, step) == 0 && strcmp(list->at[i].precision, precision) == 0)
            return true;
    return false;
}

/* --- Asking --- */

const met_policy_step *met_policy_of(const met_policy *policy, const char *step)
{
    for (uint32_t s = 0; s < policy->step_count; s++)
        if (strcmp(policy->steps[s].step, step) == 0)
            return &policy->steps[s];
    return NULL;
}

const met_policy_need *met_policy_need_of(const met_policy *policy, met_op_id op)
{
    for (uint32_t n = 0; n < policy->need_count; n++)
        if (policy->needs[n].op == op)
            return &policy->needs[n];
    return NULL;
}
