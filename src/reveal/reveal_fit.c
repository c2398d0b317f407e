/* Whether a rule fits trees of several lengths: it gives the shape of each, which a sketch (reveal_sketch.c) denies cheaply of most
 * rules, and then the bits, of which number/tree_compare.h decides. */
#include <string.h>

#include "reveal/parts.h"

enum { LOOKS = 32, MANY = 64 };

uint64_t reveal_length(const met_revealed *revealed)
{
    return revealed->shape->leaf_count;
}

static bool same_shape(reveal_search *s, size_t i, const met_tree *rule)
{
    const met_bracketing *of_rule = met_bracketing_of(s->scratch, rule, reveal_length(s->revealed[i]));
    return of_rule && met_bracketing_same(s->scratch, of_rule, s->revealed[i]->shape);
}

/* What both leave open is no difference. */
static void declare(reveal_search *s, size_t i, const met_tree *rule, met_tree *ret_x, met_tree *ret_y)
{
    *ret_x = *rule;
    *ret_y = s->revealed[i]->tree;
    ret_x->undeclared = ret_y->undeclared = 0;
}

/* A cheap look: some inputs, the first of which is all -0. Comparing looks for a witness, which takes long. */
static bool seem_same(reveal_search *s, size_t i, const met_tree *rule)
{
    met_operands operands = s->revealed[i]->operands;
    uint64_t n = reveal_length(s->revealed[i]);
    double *a = MET_NEW_ARRAY(s->scratch, double, n), *b = MET_NEW_ARRAY(s->scratch, double, n);
    reveal random = {.random = n};
    met_tree x, y;
    bool same = true;
    declare(s, i, rule, &x, &y);
    for (int round = 0; round < LOOKS && same; round++) {
        for (uint64_t k = 0; k < n; k++) {
            double value = (double)reveal_random(&random, (uint64_t)1 << 53) - 0x1p52, other = (double)reveal_random(&random, (uint64_t)1 << 53);
            a[k] = round == 0 ? -0.0 : met_operands_round(operands, value * 0x1p-52);
            b[k] = operands.sum || round == 0 ? 1 : met_operands_round(operands, other * 0x1p-52);
        }
        same = reveal_same_answer(met_witness_result(s->scratch, &x, operands, n, a, b),
                                  met_witness_result(s->scratch, &y, operands, n, a, b));
    }
    return same;
}

static bool same_bits(reveal_search *s, size_t i, const met_tree *rule)
{
    met_tree x, y;
    declare(s, i, rule, &x, &y);
    met_comparison found = met_tree_compare_operands(s->scratch, &x, &y, reveal_length(s->revealed[i]), s->revealed[i]->operands);
    bool loosely = s->loosely || s->revealed[i]->tree.undeclared >> MET_FIELD_START & 1; /* it leaves open what becomes of them */
    bool sign = found.has_run && found.run.result_a == 0 && found.run.result_b == 0; /* of a zero */
    return found.verdict == MET_VERDICT_SAME || (loosely && (found.only_below != 0 || sign));
}

static bool same_shapes(reveal_search *s, const met_tree *rule)
{
    if (!met_tree_valid(rule) || !reveal_sketch_allows(s->sketches[s->shortest], rule)) {
        return false;
    }
    bool same = true;
    for (size_t i = 0; i < s->count && same; i++) {
        same = reveal_sketch_allows(s->sketches[i], rule) && same_shape(s, i, rule);
    }
    return same;
}

static bool all_bits(reveal_search *s, const met_tree *rule)
{
    bool same = met_tree_valid(rule);
    for (size_t i = 0; i < s->count && same; i++) {
        same = seem_same(s, i, rule);
    }
    for (size_t i = 0; i < s->count && same; i++) {
        same = same_bits(s, i, rule);
    }
    return same;
}

/* The same with each term a partial result of its own before it meets another: it is stored, and loops in other orders than the
 * sequential one begin at +0 then. */
static met_tree terms_first(const met_tree *rule)
{
    met_tree longer = *rule;
    memmove(longer.levels + 1, longer.levels, (MET_TREE_LEVELS - 1) * sizeof *longer.levels);
    longer.levels[0] = (met_tree_level){.layout = MET_LAYOUT_CONTIGUOUS, .width = 1, .per_terms = true};
    longer.level_count++;
    return longer;
}

static uint8_t other_contraction(uint8_t contraction)
{
    return contraction == MET_CONTRACT_FMA ? MET_CONTRACT_MUL_ADD : MET_CONTRACT_FMA;
}

/* The rule with one way to contract it: bit 0 of `way` turns the record, the others the tails, each against the record. */
static met_tree contracted(const met_tree *rule, unsigned way)
{
    met_tree turned = *rule;
    turned.contraction = way & 1 ? other_contraction(rule->contraction) : rule->contraction;
    for (int i = 0; i < turned.tail_count; i++) {
        bool apart = way >> (i + 1) & 1;
        turned.tails[i].contraction = !apart ? MET_TAIL_ALIKE : turned.contraction == MET_CONTRACT_FMA ? MET_TAIL_MUL_ADD : MET_TAIL_FMA;
    }
    return turned;
}

/* Each way to contract, from the simplest on. Where products are fused in a part of the code alone, every tree says how its own are,
 * and the rule may have it the other way round. */
static bool fits_contracted(reveal_search *s, const met_tree *rule)
{
    bool asks = !s->revealed[0]->operands.sum && !(rule->undeclared >> MET_FIELD_CONTRACTION & 1);
    unsigned ways = asks ? 2u << rule->tail_count : 1;
    for (unsigned way = 0; way < ways; way++) {
        met_tree turned = contracted(rule, way);
        if (all_bits(s, &turned)) {
            *s->rule = turned;
            return true;
        }
    }
    return false;
}

bool reveal_fits_as_it_is(reveal_search *s, const met_tree *rule)
{
    return same_shapes(s, rule) && all_bits(s, rule);
}

bool reveal_fits(reveal_search *s, const met_tree *rule)
{
    if (++s->tried % MANY == 0) {
        met_arena_free(s->scratch);
        s->scratch = met_arena_new();
    }
    if (!same_shapes(s, rule)) {
        return false;
    }
    met_tree longer = terms_first(rule); /* not valid if there are too many levels */
    return fits_contracted(s, rule) || fits_contracted(s, &longer);
}
