#include "parity/precision.h"

#include <string.h>

#include "base/diag.h"
#include "base/vec.h"
#include "parity/declared.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* --- The policy --- */

/* Steps that compute, wherever they are declared. */
static const char *const computed[] = { "accumulate", "scale", "compute", "scores", "softmax", "state", "score", "combine", "reduce" };
static const met_dtype least = MET_F32;

/* Steps of which an op must have one, the first for choice: what adds up, statistics, what a state is kept in. */
static const struct {
    met_op_id op;
    const char *steps[3];
} needed[] = {
    { MET_OP_linear, { "accumulate", "compute" } },    { MET_OP_einsum, { "accumulate", "compute" } },
    { MET_OP_expert, { "accumulate", "compute" } },    { MET_OP_combine, { "combine", "accumulate", "compute" } },
    { MET_OP_softmax, { "softmax", "compute" } },      { MET_OP_logsumexp, { "reduce", "compute" } },
    { MET_OP_rmsnorm, { "reduce", "compute" } },       { MET_OP_layernorm, { "reduce", "compute" } },
    { MET_OP_gated_rmsnorm, { "reduce", "compute" } }, { MET_OP_l2norm, { "reduce", "compute" } },
    { MET_OP_router, { "score" } },                    { MET_OP_gated_decay, { "state" } },
    { MET_OP_ssm, { "state" } },                       { MET_OP_delta_rule, { "state" } },
};

/* What an accumulator of a matrix unit keeps, in fraction bits, by the widest operand: f32, or of e4m3 and below what units have. */
enum { KEEP_WIDE = 23, KEEP_NARROW = 13 };

/* --- Precisions --- */

/* Whether every value of b is one of a. */
static bool holds(met_dtype a, met_dtype b)
{
    const met_dtype_info *x = &met_dtype_table[a], *y = &met_dtype_table[b];
    bool float_a = x->exponent_bits > 0 && x->mantissa_bits > 0;
    return a == b || (float_a && x->exponent_bits >= y->exponent_bits && x->mantissa_bits >= y->mantissa_bits);
}

static bool dtype_of(met_str text, met_dtype *ret_dtype)
{
    for (int d = 0; d < MET_DTYPE_COUNT; d++)
        if (met_str_is(text, met_dtype_table[d].spelling)) {
            *ret_dtype = (met_dtype)d;
            return true;
        }
    return false;
}

static met_dtype precision_of(const char *text)
{
    met_dtype dtype = MET_F64;
    dtype_of(met_str_of(text), &dtype); /* the blueprint's reader knows no other words */
    return dtype;
}

/* --- Finding --- */

typedef struct finder {
    const met_lowering *lowering;
    met_arena *arena;
    const met_node *node;
    uint32_t n;
    met_declared declared;
    MET_VEC(met_departure) list;
} finder;

static void depart(finder *f, const char *step, met_dtype required, const char *declared, const char *by)
{
    const met_lowering_group *group = &f->lowering->groups[f->lowering->group_of[f->n]];
    met_departure one = { .node = { f->n }, .group = f->lowering->group_of[f->n], .kernel = f->declared.kernel ? f->declared.kernel : "",
                          .family = f->declared.family, .step = step, .required = met_dtype_table[required].spelling,
                          .declared = declared, .by = by, .chosen = group->tag == MET_TAG_DIFFERS && group->lever };
    MET_PUSH(f->arena, &f->list, one);
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

static void find_computed(finder *f)
{
    for (size_t c = 0; c < COUNT(computed); c++) {
        const char *precision;
        for (uint32_t k = 0; (precision = step_of(f, computed[c], k)); k++)
            if (!holds(precision_of(precision), least))
                depart(f, computed[c], least, precision, "the policy");
    }
    for (size_t r = 0; r < COUNT(needed); r++) {
        bool has = needed[r].op != f->node->op->id;
        for (size_t s = 0; s < COUNT(needed[r].steps) && needed[r].steps[s]; s++)
            has = has || step_of(f, needed[r].steps[s], 0);
        if (!has)
            depart(f, needed[r].steps[0], least, "nothing", "the policy");
    }
}

/* --- What is handed on --- */

static met_dtype stored_dtype(const finder *f, met_edge_id edge)
{
    return (met_dtype)f->lowering->stored[edge.id].dtype;
}

static bool is_integer(met_dtype dtype)
{
    return met_dtype_table[dtype].exponent_bits == 0;
}

/* An operand that the family says it takes is used as it is, or wider. */
static void find_operand(finder *f, const char *step)
{
    met_dtype operand = f->node->in_count ? stored_dtype(f, f->node->ins[0]) : MET_I32;
    const char *precision, *nearest = NULL;
    bool taken = false, held = false;
    for (uint32_t k = 0; (precision = step_of(f, "in", k)); k++)
        taken = taken || precision_of(precision) == operand;
    for (uint32_t k = 0; (precision = step_of(f, step, k)); k++) {
        held = held || holds(precision_of(precision), operand);
        nearest = precision;
    }
    if (taken && nearest && !held && !is_integer(operand))
        depart(f, step, operand, nearest, "its operand's format");
}

static bool reads_weight_in(const finder *f, met_dtype stored)
{
    for (uint32_t i = 0; i < f->node->in_count; i++)
        if (f->lowering->circuit->edges[f->node->ins[i].id].role == MET_EDGE_PARAMETER && stored_dtype(f, f->node->ins[i]) == stored)
            return true;
    return false;
}

/* "stored->operand": a weight that is stored so is multiplied as it is, or wider. */
static void find_weight(finder *f)
{
    const char *precision;
    for (uint32_t k = 0; (precision = step_of(f, "weight", k)); k++) {
        const char *arrow = strstr(precision, "->");
        met_dtype stored, operand;
        if (!arrow || !dtype_of((met_str){ precision, (size_t)(arrow - precision) }, &stored) || !dtype_of(met_str_of(arrow + 2), &operand))
            continue;
        if (!reads_weight_in(f, stored) || holds(operand, stored) || is_integer(stored))
            continue;
        depart(f, "weight", stored, arrow + 2, "its weight's format");
        return;
    }
}

/* What the plan stores or hands on in a narrower format than the circuit says. */
static void find_results(finder *f)
{
    const met_circuit *circuit = f->lowering->circuit;
    for (uint32_t o = 0; o < f->node->out_count; o++) {
        met_dtype said = (met_dtype)circuit->edges[f->node->outs[o].id].format.dtype, made = stored_dtype(f, f->node->outs[o]);
        if (!holds(made, said))
            depart(f, "out", said, met_dtype_table[made].spelling, "the circuit");
    }
}

/* --- Trees --- */

/* The tree that the family declares is no narrower than what it says to accumulate in. */
static void find_tree(finder *f)
{
    if (!f->declared.tree || f->declared.beside)
        return;
    const met_tree *tree = &f->declared.tree->tree;
    met_dtype operand = f->node->in_count ? stored_dtype(f, f->node->ins[0]) : MET_F32;
    int keep = met_dtype_table[operand].mantissa_bits > met_dtype_table[MET_E4M3].mantissa_bits ? KEEP_WIDE : KEEP_NARROW;
    if (!holds((met_dtype)tree->store, least))
        depart(f, "accumulate", least, met_dtype_table[tree->store].spelling, "the policy, of its tree");
    if (tree->node == MET_NODE_MATRIX && tree->unit.keep && tree->unit.keep < keep) {
        met_text bits = met_text_new(f->arena);
        met_text_format(&bits, "%d fraction bits", tree->unit.keep);
        depart(f, "accumulate", least, met_text_done(&bits), "the policy, of its tree");
    }
}

met_departures met_departures_of(const met_lowering *lowering)
{
    finder f = { .lowering = lowering, .arena = lowering->circuit->arena };
    for (f.n = 0; f.n < lowering->circuit->node_count; f.n++) {
        f.node = &lowering->circuit->nodes[f.n];
        f.declared = (met_declared){ 0 };
        if (f.node->op)
            f.declared = met_declared_in(lowering->lkb, lowering->hardware, &lowering->groups[lowering->group_of[f.n]], f.node->op->name);
        if (f.declared.family) {
            find_computed(&f);
            find_operand(&f, "act");
            find_operand(&f, "move");
            find_weight(&f);
            find_tree(&f);
        }
        find_results(&f);
    }
    return (met_departures){ (uint32_t)f.list.count, f.list.at };
}

bool met_lowering_is_precise(const met_lowering *lowering)
{
    met_departures found = met_departures_of(lowering);
    const met_departure *first = NULL;
    uint32_t silent = 0;
    for (uint32_t k = 0; k < found.count; k++) {
        first = first || found.at[k].chosen ? first : &found.at[k];
        silent += !found.at[k].chosen;
    }
    if (!first)
        return true;
    const met_node *node = &lowering->circuit->nodes[first->node.id];
    met_diag *d = met_diag_add(lowering->circuit->session, MET_DIAG_precision, node->span,
                               "`%s` on `%s` has %s for its step `%s`, where %s requires %s", node->op ? node->op->name : "box",
                               lowering->hardware->id, first->declared, first->step, first->by, first->required);
    if (first->family)
        met_diag_note(d, first->family->span, "the family `%s` says so of its kernel `%s`", first->family->id, first->kernel);
    else if (lowering->groups[first->group].rule)
        met_diag_note(d, lowering->groups[first->group].rule->span, "by the rule `%s`", lowering->groups[first->group].rule->id);
    if (silent > 1)
        met_diag_note(d, (met_span){ 0, 0, 0 }, "%u steps in all", silent);
    met_diag_help(d, "a rule that means it is tagged `differs`, with a lever");
    return false;
}
