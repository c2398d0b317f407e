/* Comparing one match of a rule with its parts on a class. */
#include <string.h>

#include "audit/tags_parts.h"
#include "base/diag.h"
#include "ir/primitive.h"
#include "parity/declared.h"

/* --- Formats --- */

/* In a fused group every value must be handed on and stored as the circuit says: that is what single kernels store. */
static bool same_formats(const met_toy_match *match, const met_lowering_group *group, const char **ret_why)
{
    const met_circuit *circuit = match->toy->circuit;
    for (uint32_t k = 0; k < group->node_count; k++) {
        const met_node *node = &circuit->nodes[group->nodes[k].id];
        for (uint32_t o = 0; o < node->out_count; o++) {
            const met_edge *edge = &circuit->edges[node->outs[o].id];
            met_format planned = match->lowering->stored[node->outs[o].id];
            if (met_format_equal(planned, edge->format))
                continue;
            bool fused = match->lowering->edges[node->outs[o].id] == MET_EDGE_FUSED;
            met_text why = met_text_new(circuit->arena);
            met_text_format(&why, "what `%s` makes is %s in ", node->op->name, fused ? "handed on" : "stored");
            met_format_print(&why, planned);
            met_text_put(&why, ", by itself in ");
            met_format_print(&why, edge->format);
            *ret_why = met_text_done(&why);
            return false;
        }
    }
    return true;
}

/* --- Trees --- */

static void put_tree(met_text *text, const met_node_numerics *node)
{
    if (node->source == MET_NUMERICS_UNDECLARED)
        met_text_put(text, "no record");
    else
        met_tree_print(text, &node->tree, MET_F32);
}

/* One fold of the settled circuit in two programs. */
static met_verdict compare_node(const met_plan_numerics *whole, const met_plan_numerics *parts, uint32_t n, const char **ret_why)
{
    const met_circuit *circuit = whole->settled->circuit;
    met_arena *scratch = met_arena_new();
    met_comparison found = met_fold_compare(scratch, &whole->nodes[n], &parts->nodes[n]);
    met_arena_free(scratch);
    if (found.verdict == MET_VERDICT_SAME)
        return found.verdict;
    const char *field = met_tree_field_name(found.field);
    met_text why = met_text_new(circuit->arena);
    met_text_format(&why, "`%s` folds%s%s: fused ", circuit->nodes[n].op->name, *field ? " by other " : "", field);
    put_tree(&why, &whole->nodes[n]);
    met_text_put(&why, ", by itself ");
    put_tree(&why, &parts->nodes[n]);
    *ret_why = met_text_done(&why);
    return found.verdict;
}

typedef met_verdict (*compare_fn)(void *context, uint32_t written, uint32_t settled, const char **ret_why);

/* The worst of what is said of the group's nodes on the settled circuit; DIFFERENT is a fact, UNKNOWN a lack of one. */
static met_verdict compare_nodes(const met_toy *toy, const met_lowering_group *group, compare_fn compare, void *context,
                                 const char **ret_why)
{
    const met_settled *settled = toy->settled;
    met_verdict worst = MET_VERDICT_SAME;
    for (uint32_t k = 0; k < group->node_count; k++) {
        uint32_t written = group->nodes[k].id;
        for (uint32_t s = settled->begin[written]; s < settled->begin[written + 1]; s++) {
            const char *why = NULL;
            met_verdict one = compare(context, written, settled->nodes[s].id, &why);
            if (one == MET_VERDICT_SAME || worst == MET_VERDICT_DIFFERENT || one == worst)
                continue;
            worst = one;
            *ret_why = why;
        }
    }
    return worst;
}

typedef struct program_pair {
    const met_plan_numerics *whole, *parts;
} program_pair;

static met_verdict compare_programs(void *context, uint32_t written, uint32_t settled, const char **ret_why)
{
    const program_pair *pair = context;
    (void)written;
    return compare_node(pair->whole, pair->parts, settled, ret_why);
}

/* --- Declared trees --- */

typedef struct declared {
    met_tag_auditor *auditor;
    const met_hardware *hardware;
    const met_toy *toy;
    const met_lowering_group *group; /* by whose rule the nodes are fused */
} declared;

static const met_lkb_tree *tree_of(const declared *d, const met_lowering_group *group, const met_node *node, bool *ret_beside)
{
    met_declared found = met_declared_in(d->auditor->lkb, d->hardware, group, node->op->name);
    *ret_beside = found.beside;
    return found.tree;
}

static met_verdict compare_declared(void *context, uint32_t written, uint32_t settled, const char **ret_why)
{
    const declared *d = context;
    const met_circuit *circuit = d->toy->settled->circuit;
    const met_node *fold = &circuit->nodes[settled], *node = &d->toy->circuit->nodes[written];
    if (!met_node_has_tree(circuit, fold))
        return MET_VERDICT_SAME;
    const met_lowering *alone = met_tag_alone(d->auditor, d->hardware, d->toy);
    bool beside, ignored;
    const met_lkb_tree *whole = tree_of(d, d->group, node, &beside),
                       *part = alone ? tree_of(d, &alone->groups[alone->group_of[written]], node, &ignored) : NULL;
    if (beside)
        whole = part; /* a family's tree is that of its core; what else its kernels fold, they fold as it is folded alone */
    met_text why = met_text_new(circuit->arena);
    met_verdict verdict = MET_VERDICT_UNKNOWN;
    const char *unbound = NULL;
    met_tree trees[2];
    if (!whole || !part) {
        met_text_format(&why, "the tree of `%s` is undeclared for %s", node->op->name, whole ? "its own kernel" : "the fused kernel");
    } else if (!met_declared_bind(d->auditor->lkb, whole, circuit, fold, &trees[0], &unbound) ||
               !met_declared_bind(d->auditor->lkb, part, circuit, fold, &trees[1], &unbound)) {
        met_text_put(&why, unbound);
    } else {
        met_arena *scratch = met_arena_new();
        met_comparison found = met_tree_compare(scratch, &trees[0], &trees[1], met_node_terms(circuit, fold));
        met_arena_free(scratch);
        verdict = found.verdict;
        met_text_format(&why, "`%s` is declared to fold as `%s` when fused, as `%s` by itself", node->op->name, whole->id, part->id);
    }
    *ret_why = met_text_done(&why);
    return verdict;
}

/* --- A match --- */

/* A rule that some setting opts into may mean another numerics point: then it is compared with the parts at the default one. */
static met_verdict compare_points(const met_toy_match *match, const met_lowering_group *group, const char **ret_why)
{
    const met_toy *toy = match->toy;
    if (!match->own_judge)
        return MET_VERDICT_SAME;
    const char *whole = met_settled_record(match->own_judge, group->node_count, group->nodes),
               *parts = met_settled_record(toy->judge, group->node_count, group->nodes);
    if (!whole || !parts)
        return MET_VERDICT_UNKNOWN;
    if (!strcmp(whole, parts))
        return MET_VERDICT_SAME;
    size_t begin = 0, at = 0;
    for (; whole[at] == parts[at]; at++)
        begin = whole[at] == '\n' ? at + 1 : begin;
    met_text why = met_text_new(toy->circuit->arena);
    met_text_format(&why, "its record has `%.*s`, that of its parts `%.*s`", (int)strcspn(whole + begin, "\n"), whole + begin,
                    (int)strcspn(parts + begin, "\n"), parts + begin);
    *ret_why = met_text_done(&why);
    return MET_VERDICT_DIFFERENT;
}

static met_verdict compare_group(met_tag_auditor *auditor, const met_hardware *hardware, const met_toy_match *match,
                                 const met_lowering_group *group, program_pair *pair, const char **ret_why)
{
    const met_toy *toy = match->toy;
    if (!met_settled_record(toy->judge, group->node_count, group->nodes)) {
        *ret_why = "the arithmetic of a part is undeclared";
        return MET_VERDICT_UNKNOWN;
    }
    if (!same_formats(match, group, ret_why))
        return MET_VERDICT_DIFFERENT;
    if (group->node_count < 2)
        return MET_VERDICT_SAME; /* one node is its own part */
    met_verdict points = compare_points(match, group, ret_why);
    if (points != MET_VERDICT_SAME)
        return points;
    if (pair)
        return compare_nodes(toy, group, compare_programs, pair, ret_why);
    declared d = { auditor, hardware, toy, group };
    return compare_nodes(toy, group, compare_declared, &d, ret_why);
}

/* The records of both programs; false if one of them cannot be written, with the diagnostic's words as the reason. */
static bool write_programs(met_tag_auditor *auditor, const met_class *class, const met_toy_match *match, program_pair *pair,
                           const char **ret_why)
{
    met_session *session = auditor->lkb->session;
    pair->parts = met_tag_reference(auditor, match->toy, class);
    met_diag_mark mark = met_session_mark(session);
    pair->whole = pair->parts ? met_toy_numerics(match->toy, match->lowering, class) : NULL;
    if (pair->whole)
        return true;
    *ret_why = met_session_take_message(session, mark);
    *ret_why = *ret_why ? *ret_why : "it cannot be written for this class";
    return false;
}

met_verdict met_tag_compare(met_tag_auditor *auditor, const met_hardware *hardware, const met_toy_match *match,
                            const char **ret_why)
{
    const met_class *class = hardware->class_name ? met_class_find(hardware->class_name) : NULL;
    program_pair pair;
    met_verdict worst = MET_VERDICT_SAME;
    *ret_why = NULL;
    bool written = class && !match->own_judge && match->largest > 1;
    if (written && !write_programs(auditor, class, match, &pair, ret_why))
        return MET_VERDICT_UNKNOWN;
    for (uint32_t g = 0; g < match->lowering->group_count && worst != MET_VERDICT_DIFFERENT; g++) {
        const char *why = NULL;
        const met_lowering_group *group = &match->lowering->groups[g];
        if (group->source != MET_GROUP_RULE)
            continue;
        met_verdict one = compare_group(auditor, hardware, match, group, written ? &pair : NULL, &why);
        if (one == MET_VERDICT_SAME || one == worst)
            continue;
        worst = one;
        *ret_why = why;
    }
    return worst;
}
