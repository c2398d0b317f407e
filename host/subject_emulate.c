/* Emulation: a class's numerics by the interpreter. Every fold goes along the tree that a family of the class declares, on
 * operands that the family's matrix unit takes; where that is not known, or is not what the interpreter does, the fold goes
 * along the point's tree, and is listed. */
#include <string.h>

#include "base/diag.h"
#include "base/vec.h"
#include "host/subject_parts.h"
#include "lkb/lkb.h"
#include "parity/operands.h"
#include "realize/writer.h"

static const met_span nowhere;

typedef struct emulator {
    const met_subject *subject;
    const met_lowering *lowering;
    const met_circuit *circuit; /* settled */
    met_node_numerics *nodes;   /* by node: what the class declares, and then what is run */
    met_tree *trees;            /* by node, of the interpreter's folds: of codes, those of one group */
    uint64_t *groups;           /* by node, of codes */
    MET_VEC(met_emulated) list;
} emulator;

static const met_lkb_tree *declared_tree(const met_lkb *lkb, const char *id)
{
    for (uint32_t t = 0; id && t < lkb->tree_count; t++)
        if (strcmp(lkb->trees[t].id, id) == 0)
            return &lkb->trees[t];
    return NULL;
}

/* Why a fold cannot be run as the class does it; NULL: it can. */
static const char *why_not(const emulator *e, const met_node *node, const met_node_numerics *n, const met_lkb_unit *unit)
{
    if (n->source == MET_NUMERICS_UNDECLARED)
        return n->why ? n->why : "undeclared";
    if (n->tree.undeclared)
        return "the tree leaves something undeclared";
    if (n->tree.rescale == MET_RESCALE_FLOAT)
        return "its sums are rescaled along a stream by rounded factors";
    if (n->tree.node != MET_NODE_MATRIX)
        return NULL;
    if (unit && unit->instruction.order != MET_MATRIX_IN_ORDER)
        return "the unit deals products to the nodes of an instruction, and the tree has them in order";
    return unit ? met_operands_converted(e->circuit, node, unit, n->code_group > 0) : "the tree names no matrix unit, so that nobody says what its operands are";
}

static const char *op_of(const emulator *e, uint32_t n)
{
    const met_settled *settled = e->subject->settled;
    const char *written = settled->written->nodes[settled->origin[n]].op->name, *own = e->circuit->nodes[n].op->name;
    return strcmp(written, own) == 0 ? own : met_format_text(e->subject->session->arena, "%s %s", written, own);
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static void add(emulator *e, met_emulated row)
{
    for (size_t i = 0; i < e->list.count; i++) {
        met_emulated *other = &e->list.at[i];
        if (same_text(row.op, other->op) && same_text(row.kernel, other->kernel) && same_text(row.tree, other->tree) &&
            same_text(row.tree_id, other->tree_id) && same_text(row.why, other->why)) {
            other->count++;
            return;
        }
    }
    MET_PUSH(e->subject->session->arena, &e->list, row);
}

static void settle_node(emulator *e, uint32_t number)
{
    met_arena *arena = e->subject->session->arena;
    const met_node *node = &e->circuit->nodes[number];
    met_node_numerics *n = &e->nodes[number];
    e->trees[number] = n->tree;
    if (!n->folds)
        return;
    const met_lkb_tree *tree = declared_tree(e->lowering->lkb, n->tree_id);
    const met_lkb_unit *unit = met_tree_unit(e->lowering->lkb, tree);
    const char *why = why_not(e, node, n, unit);
    if (why) {
        n->source = MET_NUMERICS_UNDECLARED;
        n->tree = met_point_tree(&e->subject->point, e->circuit, node);
        n->tree_id = NULL;
        n->code_group = 0;
        n->why = why;
        unit = NULL;
    }
    e->trees[number] = n->code_group ? tree->tree : n->tree;
    e->groups[number] = n->code_group;
    met_text text = met_text_new(arena);
    met_tree_print(&text, &n->tree, MET_F32);
    if (n->code_group)
        met_text_format(&text, "; of codes, scaled by groups of %llu", (unsigned long long)n->code_group);
    add(e, (met_emulated){ op_of(e, number), n->kernel, met_text_done(&text), n->tree_id, unit ? unit->id : NULL, why, 1 });
}

static bool may_emulate(const met_subject *subject, const met_way *way)
{
    static const char *const planners[] = { "none", "greedy", "exact" };
    bool known = false;
    for (size_t i = 0; i < sizeof planners / sizeof *planners; i++)
        known = known || strcmp(way->planner, planners[i]) == 0;
    if (!known)
        met_diag_add(subject->session, MET_DIAG_usage, nowhere, "the blueprint's plans can be emulated, by none, greedy or exact: `%s` plans for kernels that met writes", way->planner);
    else if (way->tiles)
        met_diag_add(subject->session, MET_DIAG_usage, nowhere, "what is emulated has no tiles");
    else if (subject->point.dtype == MET_F64)
        met_diag_add(subject->session, MET_DIAG_usage, nowhere, "no class computes in f64: emulation is of f32, bf16 and f16");
    else
        return true;
    return false;
}

const met_outcome *met_subject_emulate(const met_subject *subject, const met_way *way)
{
    met_arena *arena = subject->session->arena;
    const met_lowering *lowering = may_emulate(subject, way) ? met_subject_lowering(subject, way) : NULL;
    const met_plan_numerics *declared = lowering ? met_numerics_of_lowering(lowering, subject->settled) : NULL;
    if (!declared)
        return NULL;
    emulator e = { .subject = subject, .lowering = lowering, .circuit = subject->circuit };
    uint32_t count = subject->circuit->node_count;
    e.nodes = met_arena_copy(arena, declared->nodes, count, sizeof *declared->nodes);
    e.trees = MET_NEW_ARRAY(arena, met_tree, count);
    e.groups = MET_NEW_ARRAY(arena, uint64_t, count);
    for (uint32_t n = 0; n < count; n++)
        settle_node(&e, n);
    met_plan_numerics *run = MET_NEW(arena, met_plan_numerics);
    *run = (met_plan_numerics){ subject->settled, e.nodes };
    const char *name = met_format_text(arena, "%s@%s, emulated", way->planner, way->hardware);
    met_outcome *outcome = met_subject_interpret(subject, name, e.trees, &(met_code_folds){ e.groups }, run);
    if (outcome) {
        outcome->emulated_count = e.list.count;
        outcome->emulated = e.list.at;
    }
    return outcome;
}
