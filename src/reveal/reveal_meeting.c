/* What written trees have no word for, so that a record has levels instead. Combines in f64: a routine that adds its products, rounded to f32, in double, or blocks in f32 and then blocks and the rest in
 * double. Masked inputs show the shape all the same; which additions are in f64 shows in the bits. */
#include "reveal/parts.h"

/* Whether the record has the subject's bits. */
static bool fits(reveal *r, const met_tree *record, met_tree *ret_tree)
{
    r->verdict = MET_REVEAL_TREE;
    reveal_check_bits(r, record);
    if (reveal_goes_on(r)) {
        *ret_tree = *record;
    }
    return reveal_goes_on(r);
}

/* The levels as they are, then with one more, so that the combine is left with one result: a tail alone meets it in f64. */
static bool try_levels(reveal *r, met_tree levels, met_tree *ret_tree)
{
    for (int more = 0; more < 2; more++) {
        if (more && levels.level_count < MET_TREE_LEVELS) {
            levels.levels[levels.level_count++] = (met_tree_level){.order = levels.combine, .width = 1};
            levels.combine = MET_ORDER_SEQUENTIAL;
        }
        for (uint8_t contraction = MET_CONTRACT_FMA; contraction <= MET_CONTRACT_MUL_ADD; contraction++) {
            levels.contraction = contraction;
            if (fits(r, &levels, ret_tree)) {
                return true;
            }
        }
    }
    return false;
}

void reveal_meeting(reveal *r, const reveal_map *map, met_tree *tree)
{
    bool plain = tree->node == MET_NODE_ADD && tree->mode == MET_RNE && !r->probe->scaled, sums = r->probe->kind <= MET_PROBE_DOT;
    if (!plain || !sums || r->named || r->probe->input != MET_F32 || r->probe->output != MET_F32) {
        return;
    }
    met_tree meets = met_tree_sequential(MET_F32), rule;
    meets.start = tree->start;
    meets.written = map->tree;
    met_revealed shape = {.verdict = MET_REVEAL_TREE, .tree = meets, .shape = map->tree, .operands = {.dtype = MET_F32, .sum = true}};
    meets.combine_f64 = true;
    meets.contraction = MET_CONTRACT_MUL_ADD;
    if (fits(r, &meets, tree) || !met_reveal_rule(r->arena, 1, (const met_revealed *[]){&shape}, &rule)) {
        return;
    }
    rule.combine_f64 = true;
    try_levels(r, rule, tree);
}

/* --- Products rounded in one place and fused in another --- */

/* Leaves that are partial results of their own. Returns how many. */
static uint32_t find_alone(const met_bracketing *tree, bool *ret_at)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < tree->node_count; i++) {
        const met_bracketing_node *node = &tree->nodes[i];
        if (node->count == 0) {
            ret_at[node->leaf] = node->alone;
            count += node->alone;
        }
    }
    return count;
}

void reveal_vanishing(reveal *r, met_revealed *revealed)
{
    met_tree *tree = &revealed->tree, rule;
    bool *at = MET_NEW_ARRAY(r->arena, bool, r->leaves);
    bool fused = tree->written && tree->node == MET_NODE_ADD && tree->contraction == MET_CONTRACT_FMA && !tree->undeclared;
    if (!fused || r->probe->scaled || !find_alone(tree->written, at) || reveal_check_vanishing(r, tree, at)) {
        return;
    }
    met_revealed shown = *revealed;
    shown.verdict = MET_REVEAL_TREE;
    bool found = reveal_rule(r->arena, 1, (const met_revealed *[]){&shown}, true, &rule) && reveal_check_vanishing(r, &rule, at);
    reveal other = *r; /* what it says of the rule is not said of the tree */
    if (found) {
        reveal_check_bits(&other, &rule);
        r->calls = other.calls;
    }
    if (found && reveal_goes_on(&other)) {
        *tree = rule;
    } else {
        reveal_leave_open(tree, MET_FIELD_START); /* some +0 that no field has */
    }
}
