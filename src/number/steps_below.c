/* Ways down a form: where two of them part, and the terms that stand below. */
#include "number/mix.h"
#include "number/steps_parts.h"

/* The operand of `at` that is none of `other`'s, each of which stands for one. False if there is not exactly one. */
static bool only_in(const met_steps *s, const met_step *at, const met_step *other, uint32_t *ret_child)
{
    const uint32_t *mine = &s->children.at[at->first], *others = &s->children.at[other->first];
    uint32_t found = 0;
    for (uint32_t i = 0; i < at->count && found < 2; i++) {
        bool shared = false;
        for (uint32_t k = 0; k < other->count && !shared; k++) {
            shared = mine[i] == others[k];
        }
        found += !shared;
        *ret_child = shared ? *ret_child : mine[i];
    }
    return found == 1 && *ret_child != MET_STEP_BAR;
}

void met_steps_narrow(met_steps *s, uint32_t *x, uint32_t *y)
{
    enum { MOST = 256 /* operands */ };
    while (*x != *y) {
        const met_step *of_x = &s->nodes.at[*x], *of_y = &s->nodes.at[*y];
        uint32_t next_x = 0, next_y = 0;
        bool alike = of_x->kind == of_y->kind && of_x->attributes == of_y->attributes && of_x->count == of_y->count && of_x->count <= MOST;
        if (!alike || !only_in(s, of_x, of_y, &next_x) || !only_in(s, of_y, of_x, &next_y)) {
            return;
        }
        *x = next_x;
        *y = next_y;
    }
}

uint32_t met_steps_leaf(const met_steps *s, uint32_t at, uint64_t *random)
{
    const met_step *node = &s->nodes.at[at];
    while (node->kind != STEP_LEAF) {
        uint32_t child = s->children.at[node->first + (met_mix_next(random) >> 11) % node->count];
        node = child == MET_STEP_BAR ? node : &s->nodes.at[child];
    }
    return node->attributes;
}

void met_steps_terms(const met_steps *s, uint32_t at, bool *ret_terms)
{
    met_arena *scratch = met_arena_new();
    bool *below = MET_NEW_ARRAY(scratch, bool, (size_t)at + 1);
    below[at] = true;
    for (uint32_t i = at + 1; i-- > 0;) { /* operands are older than what is made of them */
        const met_step *node = &s->nodes.at[i];
        for (uint32_t c = 0; below[i] && c < node->count; c++) {
            uint32_t child = s->children.at[node->first + c];
            if (child != MET_STEP_BAR) {
                below[child] = true;
            }
        }
        if (below[i] && node->kind == STEP_LEAF) {
            ret_terms[node->attributes] = true;
        }
    }
    met_arena_free(scratch);
}
