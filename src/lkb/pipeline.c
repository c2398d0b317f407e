/* Pipelines: the precision of every step of an op in a family. */
#include <string.h>

#include "lkb/read.h"
#include "lkb/step.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static bool add_step(met_lkb_reader *r, const met_value *item, size_t step, met_op_id op, met_pipeline_step *ret_step)
{
    met_str a, b;
    if (!met_value_expect(r->session, item, MET_VALUE_STRING, met_step_table[step].name))
        return false;
    met_step_sides(met_step_table[step].form, item->string, &a, &b);
    if (!met_precision_is(a) || !met_precision_is(b)) {
        static const char *const like[] = { "f32", "bf16->f32", "f32*f32" };
        met_diag *d = met_diag_at(r->session, MET_DIAG_blueprint, &item->place, "`%.*s` is no precision of the step `%s`",
                                  MET_STR_ARGS(item->string), met_step_table[step].name);
        met_diag_help(d, "it is written like `%s`, of %s", like[met_step_table[step].form], met_precision_spellings);
        return false;
    }
    *ret_step = (met_pipeline_step){ op, met_step_table[step].name, item->string.at };
    return true;
}

/* --- What must go together --- */

static bool has_step(const met_value *table, const char *step)
{
    return met_value_get(table, step) != NULL;
}

/* Whether one side of a step of the op has this precision. */
static bool has_side(const met_value *table, size_t step, bool second, met_str precision)
{
    const met_value *value = met_value_get(table, met_step_table[step].name);
    for (size_t i = 0; i < met_lkb_item_count(value); i++) {
        met_str a, b;
        met_step_sides(met_step_table[step].form, met_lkb_item(value, i)->string, &a, &b);
        if (met_str_equal(second ? b : a, precision))
            return true;
    }
    return false;
}

/* Products are of what `act` and `weight` hand over, and all of that is used. */
static bool check_products(met_lkb_reader *r, const met_value *table)
{
    size_t act = met_step_find(met_str_of("act")), weight = met_step_find(met_str_of("weight")), mma = met_step_find(met_str_of("mma"));
    const struct { size_t from; bool from_second; size_t to; bool to_second; } pairs[] = {
        { mma, false, act, false }, { mma, true, weight, true }, { act, false, mma, false }, { weight, true, mma, true },
    };
    bool good = true;
    for (size_t p = 0; p < COUNT(pairs); p++) {
        const met_value *value = met_value_get(table, met_step_table[pairs[p].from].name);
        for (size_t i = 0; i < met_lkb_item_count(value); i++) {
            const met_value *item = met_lkb_item(value, i);
            met_str a, b;
            met_step_sides(met_step_table[pairs[p].from].form, item->string, &a, &b);
            met_str side = pairs[p].from_second ? b : a;
            if (has_side(table, pairs[p].to, pairs[p].to_second, side))
                continue;
            met_diag_at(r->session, MET_DIAG_blueprint, &item->place, "the step `%s` has %.*s where `%s` has none",
                        met_step_table[pairs[p].from].name, MET_STR_ARGS(side), met_step_table[pairs[p].to].name);
            good = false;
        }
    }
    return good;
}

static bool check_together(met_lkb_reader *r, const met_value *table)
{
    bool good = true;
    for (size_t s = 0; s < MET_STEPS; s++) {
        for (size_t k = 0; has_step(table, met_step_table[s].name) && k < COUNT(met_step_table[s].wants) && met_step_table[s].wants[k]; k++)
            if (!has_step(table, met_step_table[s].wants[k]))
                good = met_lkb_wrong(r, table->place.span, "the step `%s` wants `%s` beside it", met_step_table[s].name, met_step_table[s].wants[k]);
    }
    return good && check_products(r, table);
}

/* Formats of points are what the steps hold: a weight that is stored so, an input that comes so. */
static bool check_point_formats(met_lkb_reader *r, const met_value *table, const met_family *family)
{
    bool good = true;
    for (uint32_t p = 0; good && p < family->param_count; p++) {
        bool weight = family->params[p].extract == MET_EXTRACT_WEIGHT;
        const char *step = weight ? "weight" : "in";
        if ((!weight && family->params[p].extract != MET_EXTRACT_ACTIVATION) || !has_step(table, step))
            continue;
        for (uint32_t i = 0; good && i < family->point_count; i++) {
            met_format format;
            const char *value = family->points[i].values[p];
            if (!value || !met_format_parse(met_str_of(value), &format))
                continue;
            const char *dtype = met_dtype_table[format.dtype].spelling;
            if (!has_side(table, met_step_find(met_str_of(step)), false, met_str_of(dtype)))
                good = met_lkb_wrong(r, family->points[i].span, "`%s` is `%s`, and no step `%s` of the pipeline has %s",
                                     family->params[p].name, value, step, dtype);
        }
    }
    return good;
}

/* --- Reading --- */

typedef struct step_list {
    MET_VEC(met_pipeline_step) list;
} step_list;

static bool read_op_pipeline(met_lkb_reader *r, const met_entry *entry, met_op_id op, step_list *list)
{
    if (!met_value_expect(r->session, entry->value, MET_VALUE_TABLE, "the pipeline of an op"))
        return false;
    bool good = true;
    for (size_t i = 0; i < entry->value->entries.count; i++) {
        const met_entry *e = &entry->value->entries.at[i];
        size_t step = met_step_find(e->key);
        if (step == MET_STEPS) {
            good = met_lkb_unknown_step(r, &e->key_place, e->key);
            continue;
        }
        good = (met_lkb_item_count(e->value) > 0 || met_lkb_wrong(r, e->value->place.span, "`%s` has no precision", met_step_table[step].name)) && good;
        for (size_t k = 0; k < met_lkb_item_count(e->value); k++) {
            met_pipeline_step one;
            if (add_step(r, met_lkb_item(e->value, k), step, op, &one))
                MET_PUSH(r->arena, &list->list, one);
            else
                good = false;
        }
    }
    if (entry->value->entries.count == 0)
        good = met_lkb_wrong(r, entry->value->place.span, "a pipeline has a step");
    return good && check_together(r, entry->value);
}

/* `*` stands for every op that the table does not name. */
static const met_entry *entry_for(const met_value *pipelines, const char *op)
{
    const met_entry *rest = NULL;
    for (size_t i = 0; i < pipelines->entries.count; i++) {
        if (met_str_is(pipelines->entries.at[i].key, op))
            return &pipelines->entries.at[i];
        if (met_str_is(pipelines->entries.at[i].key, "*"))
            rest = &pipelines->entries.at[i];
    }
    return rest;
}

static bool known_ops(met_lkb_reader *r, const met_value *pipelines, const char *const *names, uint32_t count)
{
    bool good = true;
    for (size_t i = 0; i < pipelines->entries.count; i++) {
        const met_entry *e = &pipelines->entries.at[i];
        bool found = met_str_is(e->key, "*");
        for (uint32_t k = 0; !found && k < count; k++)
            found = met_str_is(e->key, names[k]);
        if (!found)
            good = met_lkb_unknown(r, &e->key_place, "op of this family", e->key, names, count);
    }
    return good;
}

bool met_lkb_read_pipeline(met_lkb_reader *r, const met_value *table, met_family *family)
{
    bool good = true;
    const met_value *pipelines = met_lkb_field(r, table, "pipeline", true, MET_VALUE_TABLE, &good);
    step_list list = { 0 };
    const char **names = MET_NEW_ARRAY(r->arena, const char *, family->op_count);
    for (uint32_t i = 0; i < family->op_count; i++)
        names[i] = met_op_by_id(family->ops[i].op)->name;
    if (!pipelines || !known_ops(r, pipelines, names, family->op_count))
        return false;
    for (uint32_t i = 0; i < family->op_count && good; i++) {
        const met_entry *e = entry_for(pipelines, names[i]);
        good = e ? read_op_pipeline(r, e, family->ops[i].op, &list) && check_point_formats(r, e->value, family) :
                   met_lkb_wrong(r, pipelines->place.span, "the op `%s` has no pipeline", names[i]);
    }
    family->step_count = (uint32_t)list.list.count;
    family->steps = list.list.at;
    return good;
}
