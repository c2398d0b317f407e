#include "parity/precision.h"

#include <string.h>

#include "base/diag.h"
#include "base/vec.h"
#include "lkb/step.h"
#include "parity/declared.h"
#include "realize/writer.h"

/* --- Finding --- */

typedef struct finder {
    const met_lowering *lowering;
    const met_policy *policy;
    met_arena *arena;
    const met_node *node;
    uint32_t n;
    met_declared declared;
    MET_VEC(met_departure) list;
} finder;

static void depart(finder *f, const char *step, const char *required, const char *declared, const char *by)
{
    const met_lowering_group *group = &f->lowering->groups[f->lowering->group_of[f->n]];
    bool by_rule = group->rule && met_departs_has(&group->rule->departs, step, declared);
    bool by_family = f->declared.family && met_departs_has(&f->declared.family->departs, step, declared);
    met_departure one = { .node = { f->n }, .group = f->lowering->group_of[f->n], .kernel = f->declared.kernel ? f->declared.kernel : "",
                          .family = f->declared.family, .step = step, .required = required, .declared = declared, .by = by,
                          .said = by_rule || by_family };
    MET_PUSH(f->arena, &f->list, one);
}

static bool holds(const char *a, const char *b)
{
    return met_precision_holds(met_str_of(a), met_str_of(b));
}

/* The k-th precision that the family declares of a step of the node's op; NULL beyond. */
static const char *step_of(const finder *f, const char *step, uint32_t k)
{
    const met_family *family = f->declared.family;
    for (uint32_t s = 0; s < family->step_count; s++)
        if (family->steps[s].op == f->node->op->id && strcmp(family->steps[s].step, step) == 0 && k-- == 0)
            return family->steps[s].precision;
    return NULL;
}

static void find_least(finder *f, const met_policy_step *row)
{
    const char *precision;
    for (uint32_t k = 0; (precision = step_of(f, row->step, k)); k++)
        if (!holds(precision, row->precision))
            depart(f, row->step, row->precision, precision, "the policy");
}

static void find_needed(finder *f)
{
    const met_policy_need *need = met_policy_need_of(f->policy, f->node->op->id);
    bool has = !need;
    for (uint32_t s = 0; need && s < need->steps.count; s++)
        has = has || step_of(f, need->steps.names[s], 0);
    if (has)
        return;
    const met_policy_step *row = met_policy_of(f->policy, need->steps.names[0]);
    depart(f, need->steps.names[0], row && row->precision ? row->precision : "a precision", "nothing", "the policy");
}

/* --- Whose values a step holds --- */

/* The format of an input in the plan: NULL of integers, whose values are ids. */
static const char *format_of(const finder *f, uint32_t input)
{
    const met_dtype_info *info = &met_dtype_table[f->lowering->stored[f->node->ins[input].id].dtype];
    return info->class == MET_DTYPE_INTEGER ? NULL : info->spelling;
}

static bool is_parameter(const finder *f, uint32_t input)
{
    return f->lowering->circuit->edges[f->node->ins[input].id].role == MET_EDGE_PARAMETER;
}

/* Whether a point of the family is of that format: what it takes where its pipeline does not say what goes in. */
static bool has_point(const met_family *family, const char *format)
{
    for (uint32_t p = 0; p < family->param_count; p++) {
        if (family->params[p].extract != MET_EXTRACT_WEIGHT && family->params[p].extract != MET_EXTRACT_ACTIVATION)
            continue;
        for (uint32_t i = 0; i < family->point_count; i++) {
            met_format point;
            const char *value = family->points[i].values[p];
            if (value && met_format_parse(met_str_of(value), &point) && strcmp(met_dtype_table[point.dtype].spelling, format) == 0)
                return true;
        }
    }
    return false;
}

/* Whether the family takes an input of that format: a weight as its step `weight` stores it, others as `in` has them. */
static bool takes(const finder *f, const char *format, bool weight)
{
    const char *precision;
    const char *step = weight && step_of(f, "weight", 0) ? "weight" : "in";
    for (uint32_t k = 0; (precision = step_of(f, step, k)); k++) {
        met_str stored, operand;
        met_step_sides(met_step_table[met_step_find(met_str_of(step))].form, met_str_of(precision), &stored, &operand);
        if (met_str_is(stored, format))
            return true;
    }
    return !step_of(f, step, 0) && has_point(f->declared.family, format);
}

/* Whether a precision of the step hands on every value of the format; if not, the last one that there is in *ret_nearest. Weights
 * are handed on as what stands behind the arrow, or the star. */
static bool hands_on(const finder *f, const char *step, const char *format, bool weight, const char **ret_nearest)
{
    met_step_form form = met_step_table[met_step_find(met_str_of(step))].form;
    const char *precision;
    *ret_nearest = NULL;
    for (uint32_t k = 0; (precision = step_of(f, step, k)); k++) {
        met_str first, second;
        met_step_sides(form, met_str_of(precision), &first, &second);
        if (form == MET_STEP_STORED && !met_str_is(first, format))
            continue;
        met_str side = form == MET_STEP_STORED || weight ? second : first;
        if (met_precision_holds(side, met_str_of(format)))
            return true;
        *ret_nearest = met_arena_text(f->arena, side.at, side.length);
    }
    return *ret_nearest == NULL; /* nothing is said of it */
}

static void find_held(finder *f, const met_policy_step *row)
{
    for (uint32_t i = 0; i < f->node->in_count; i++) {
        bool weight = is_parameter(f, i), asked = weight ? row->requires != MET_REQUIRES_OPERAND : row->requires != MET_REQUIRES_WEIGHT;
        const char *format = asked ? format_of(f, i) : NULL, *nearest;
        if (!format || !takes(f, format, weight) || hands_on(f, row->step, format, weight, &nearest))
            continue;
        depart(f, row->step, format, nearest, weight ? "its weight's format" : "its operand's format");
        return;
    }
}

/* What the plan stores or hands on in a narrower format than the circuit says. */
static void find_results(finder *f, const char *step)
{
    const met_circuit *circuit = f->lowering->circuit;
    for (uint32_t o = 0; o < f->node->out_count; o++) {
        const char *said = met_dtype_table[circuit->edges[f->node->outs[o].id].format.dtype].spelling;
        const char *made = met_dtype_table[f->lowering->stored[f->node->outs[o].id].dtype].spelling;
        if (!holds(made, said))
            depart(f, step, said, made, "the circuit");
    }
}

static void find_step(finder *f, const met_policy_step *row)
{
    if (row->requires == MET_REQUIRES_RESULT)
        find_results(f, row->step);
    else if (!f->declared.family || row->requires == MET_REQUIRES_ANY)
        return;
    else if (row->requires == MET_REQUIRES_PRECISION)
        find_least(f, row);
    else
        find_held(f, row);
}

/* --- Trees --- */

/* What an accumulator of the tree keeps, as a precision. */
static const char *kept_by(met_arena *arena, const met_tree *tree)
{
    bool matrix = tree->node == MET_NODE_MATRIX;
    if (matrix && tree->unit.half)
        return met_dtype_table[MET_F16].spelling;
    if (matrix && tree->unit.keep)
        return met_format_text(arena, "e8m%d", tree->unit.keep);
    return met_dtype_table[tree->store].spelling;
}

/* The tree that the family declares keeps no less than what it says to accumulate in. */
static void find_tree(finder *f)
{
    if (!f->declared.tree || f->declared.beside)
        return;
    const char *kept = kept_by(f->arena, &f->declared.tree->tree), *stored = met_dtype_table[f->declared.tree->tree.store].spelling;
    const char *said = step_of(f, "accumulate", 0) ? step_of(f, "accumulate", 0) : step_of(f, "compute", 0);
    kept = holds(kept, stored) ? stored : kept;
    if (said && !holds(kept, said))
        depart(f, "accumulate", said, kept, "its pipeline, of its tree");
}

met_departures met_departures_of(const met_lowering *lowering)
{
    finder f = { .lowering = lowering, .policy = &lowering->hardware->policy, .arena = lowering->circuit->arena };
    for (f.n = 0; f.n < lowering->circuit->node_count; f.n++) {
        f.node = &lowering->circuit->nodes[f.n];
        f.declared = (met_declared){ 0 };
        if (f.node->op)
            f.declared = met_declared_in(lowering->lkb, lowering->hardware, &lowering->groups[lowering->group_of[f.n]], f.node->op->name);
        for (uint32_t s = 0; s < f.policy->step_count; s++)
            find_step(&f, &f.policy->steps[s]);
        if (f.declared.family) {
            find_needed(&f);
            find_tree(&f);
        }
    }
    return (met_departures){ (uint32_t)f.list.count, f.list.at };
}

/* --- Saying so --- */

static bool alike(const met_lowering *lowering, const met_departure *a, const met_departure *b)
{
    return lowering->circuit->nodes[a->node.id].op == lowering->circuit->nodes[b->node.id].op && a->family == b->family &&
           strcmp(a->step, b->step) == 0 && strcmp(a->declared, b->declared) == 0 && strcmp(a->required, b->required) == 0;
}

static const char *op_of(const met_lowering *lowering, const met_departure *one)
{
    const met_op *op = lowering->circuit->nodes[one->node.id].op;
    return op ? op->name : "box";
}

/* The other silent ones, each kind once. */
static void list_others(met_diag *d, const met_lowering *lowering, const met_departures *found, const met_departure *first)
{
    enum { LISTED = 16 };
    uint32_t listed = 0;
    for (uint32_t k = 0; k < found->count; k++) {
        const met_departure *one = &found->at[k];
        bool told = one->said || alike(lowering, one, first);
        for (uint32_t i = 0; i < k; i++)
            told = told || (!found->at[i].said && alike(lowering, one, &found->at[i]));
        if (told || listed++ >= LISTED)
            continue;
        met_diag_note(d, one->family ? one->family->span : (met_span){ 0, 0, 0 }, "`%s`%s%s%s has %s for its step `%s`, where %s requires %s",
                      op_of(lowering, one), *one->kernel ? " by `" : "", one->kernel, *one->kernel ? "`" : "", one->declared, one->step, one->by,
                      one->required);
    }
    if (listed > LISTED)
        met_diag_note(d, (met_span){ 0, 0, 0 }, "and %u kinds of step more", listed - LISTED);
}

bool met_lowering_is_precise(const met_lowering *lowering)
{
    met_departures found = met_departures_of(lowering);
    const met_departure *first = NULL;
    for (uint32_t k = 0; k < found.count && !first; k++)
        first = found.at[k].said ? NULL : &found.at[k];
    if (!first)
        return true;
    met_diag *d = met_diag_add(lowering->circuit->session, MET_DIAG_precision, lowering->circuit->nodes[first->node.id].span,
                               "`%s` on `%s` has %s for its step `%s`, where %s requires %s", op_of(lowering, first), lowering->hardware->id, first->declared, first->step, first->by, first->required);
    if (first->family)
        met_diag_note(d, first->family->span, "the family `%s` says so of its kernel `%s`", first->family->id, first->kernel);
    else if (lowering->groups[first->group].rule)
        met_diag_note(d, lowering->groups[first->group].rule->span, "by the rule `%s`", lowering->groups[first->group].rule->id);
    list_others(d, lowering, &found, first);
    met_diag_help(d, "a rule or a family that means it says departs = { %s = \"%s\" }", first->step, first->declared);
    return false;
}
