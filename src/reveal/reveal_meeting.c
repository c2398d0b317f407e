/* Combines in f64: a routine that adds its products, rounded to f32, in double, or blocks in f32 and then blocks and the rest in
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
