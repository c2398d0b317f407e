#include "number/bracketing.h"

#include <math.h>
#include <string.h>

#include "number/bracketing_build.h"
#include "number/exact.h"
#include "number/fold.h"

static uint32_t add_node(met_bracketing_build *b, met_bracketing_node node)
{
    MET_PUSH(b->arena, &b->nodes, node);
    b->leaf_count += node.count == 0;
    return (uint32_t)b->nodes.count - 1;
}

uint32_t met_build_leaf(met_bracketing_build *b, uint32_t leaf)
{
    return add_node(b, (met_bracketing_node){.leaf = leaf});
}

uint32_t met_build_pair(met_bracketing_build *b, uint32_t left, uint32_t right)
{
    return met_build_node(b, (uint32_t[]){left, right}, 2);
}

uint32_t met_build_node(met_bracketing_build *b, const uint32_t *places, size_t count)
{
    uint32_t first = (uint32_t)b->children.count;
    for (size_t i = 0; i < count; i++) {
        MET_PUSH(b->arena, &b->children, places[i]);
    }
    return add_node(b, (met_bracketing_node){.first = first, .count = (uint32_t)count});
}

const met_bracketing *met_build_finish(const met_bracketing_build *b)
{
    met_bracketing *tree = MET_NEW(b->arena, met_bracketing);
    *tree = (met_bracketing){b->nodes.at, b->children.at, (uint32_t)b->nodes.count, b->leaf_count};
    return tree;
}

/* Reads a leaf's index off the front of the text. */
static bool read_leaf(met_str *text, uint32_t *ret_leaf)
{
    uint32_t leaf = 0;
    size_t used = 0;
    while (used < text->length && text->at[used] >= '0' && text->at[used] <= '9') {
        leaf = leaf * 10 + (uint32_t)(text->at[used++] - '0');
        if (leaf >= MET_BRACKETING_LEAVES) {
            return false;
        }
    }
    text->at += used;
    text->length -= used;
    *ret_leaf = leaf;
    return used > 0;
}

typedef struct parser {
    met_bracketing_build b;
    MET_VEC(uint32_t) places; /* finished nodes that wait for their parent */
    size_t open[MET_BRACKETING_DEPTH];
    size_t depth;
} parser;

/* One parenthesis or leaf; false if it cannot stand here. */
static bool parse_step(parser *p, met_str *text)
{
    if (text->at[0] == '(') {
        text->at++;
        text->length--;
        p->open[p->depth++] = p->places.count;
        return p->depth < MET_BRACKETING_DEPTH;
    }
    uint32_t place;
    if (text->at[0] == ')') {
        text->at++;
        text->length--;
        if (p->depth == 0 || p->places.count - p->open[p->depth - 1] < 2) {
            return false;
        }
        size_t base = p->open[--p->depth];
        place = met_build_node(&p->b, p->places.at + base, p->places.count - base);
        p->places.count = base;
    } else {
        uint32_t leaf;
        if (!read_leaf(text, &leaf) || p->b.leaf_count >= MET_BRACKETING_LEAVES) {
            return false;
        }
        bool alone = text->length && text->at[0] == '!';
        *text = (met_str){text->at + alone, text->length - alone};
        place = met_build_leaf(&p->b, leaf);
        p->b.nodes.at[place].alone = alone;
    }
    MET_PUSH(p->b.arena, &p->places, place);
    return true;
}

static bool leaves_complete(const met_bracketing_build *b)
{
    bool *seen = MET_NEW_ARRAY(b->arena, bool, b->leaf_count);
    for (size_t i = 0; i < b->nodes.count; i++) {
        uint32_t leaf = b->nodes.at[i].leaf;
        if (b->nodes.at[i].count == 0 && (leaf >= b->leaf_count || seen[leaf])) {
            return false;
        }
        if (b->nodes.at[i].count == 0) {
            seen[leaf] = true;
        }
    }
    return true;
}

const met_bracketing *met_bracketing_parse(met_arena *arena, met_str text)
{
    parser *p = MET_NEW(arena, parser);
    p->b.arena = arena;
    while (text.length) {
        if (text.at[0] == ' ') {
            text.at++;
            text.length--;
        } else if ((p->places.count > 0 && p->depth == 0) || !parse_step(p, &text)) {
            return NULL;
        }
    }
    return p->places.count == 1 && p->depth == 0 && leaves_complete(&p->b) ? met_build_finish(&p->b) : NULL;
}

const char *met_bracketing_fault(met_str text)
{
    size_t depth = 0, deepest = 0;
    for (size_t i = 0; i < text.length; i++) {
        depth += text.at[i] == '(';
        depth -= text.at[i] == ')' && depth > 0;
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest >= MET_BRACKETING_DEPTH ? "parentheses less than 4096 deep"
                                           : "each of 0, 1, … once, and two children or more at every node, as in `((0 1) 2)`";
}

bool met_bracketing_is_binary(const met_bracketing *tree)
{
    for (uint32_t i = 0; i < tree->node_count; i++) {
        if (tree->nodes[i].count > 2) {
            return false;
        }
    }
    return true;
}

bool met_bracketing_equal(const met_bracketing *a, const met_bracketing *b)
{
    if (a == b || !a || !b) {
        return a == b;
    }
    met_arena *scratch = met_arena_new();
    met_text of_a = met_text_new(scratch), of_b = met_text_new(scratch);
    met_bracketing_print(&of_a, a);
    met_bracketing_print(&of_b, b);
    bool equal = strcmp(met_text_done(&of_a), met_text_done(&of_b)) == 0;
    met_arena_free(scratch);
    return equal;
}

uint64_t met_bracketing_height(const met_bracketing *tree)
{
    met_arena *scratch = met_arena_new();
    uint64_t *height = MET_NEW_ARRAY(scratch, uint64_t, tree->node_count);
    for (uint32_t i = 0; i < tree->node_count; i++) {
        for (uint32_t c = 0; c < tree->nodes[i].count; c++) {
            uint64_t below = height[tree->children[tree->nodes[i].first + c]] + 1;
            height[i] = below > height[i] ? below : height[i];
        }
    }
    uint64_t whole = height[tree->node_count - 1] + 1;
    met_arena_free(scratch);
    return whole;
}

void met_bracketing_print(met_text *out, const met_bracketing *tree)
{
    /* A stack of what is left to write: nodes, and closing parentheses as UINT32_MAX. */
    MET_VEC(uint32_t) todo = {0};
    bool space = false;
    MET_PUSH(out->arena, &todo, tree->node_count - 1);
    while (todo.count > 0) {
        uint32_t at = todo.at[--todo.count];
        if (at == UINT32_MAX) {
            met_text_char(out, ')');
            space = true;
            continue;
        }
        const met_bracketing_node *node = &tree->nodes[at];
        if (space) {
            met_text_char(out, ' ');
        }
        space = node->count == 0;
        if (node->count == 0) {
            met_text_format(out, node->alone ? "%u!" : "%u", (unsigned)node->leaf);
            continue;
        }
        met_text_char(out, '(');
        MET_PUSH(out->arena, &todo, UINT32_MAX);
        for (uint32_t i = node->count; i-- > 0;) {
            MET_PUSH(out->arena, &todo, tree->children[node->first + i]);
        }
    }
}

float met_node_sum(uint64_t count, const double *addends, int fraction, met_rounding final)
{
    met_exact sum;
    int largest = INT32_MIN;
    met_exact_clear(&sum);
    for (uint64_t i = 0; i < count; i++) {
        if (addends[i] != 0 && isfinite(addends[i]) && ilogb(addends[i]) > largest) {
            largest = ilogb(addends[i]);
        }
    }
    for (uint64_t i = 0; i < count; i++) {
        double term = addends[i];
        if (isfinite(term) && term != 0) {
            term = ldexp(trunc(ldexp(term, fraction - largest)), largest - fraction);
        }
        met_exact_add(&sum, term);
    }
    return (float)met_exact_round(&sum, MET_F32, final);
}

static float run_node(const met_bracketing_rules *rules, const met_tree *addition, const met_bracketing *tree,
                      const met_bracketing_node *node, const float *value, double *addends)
{
    const uint32_t *child = &tree->children[node->first];
    if (node->count == 2) {
        return (float)met_tree_step(addition, MET_MONOID_ADD, (double)value[child[0]], (double)value[child[1]]);
    }
    for (uint32_t i = 0; i < node->count; i++) {
        addends[i] = (double)value[child[i]];
    }
    return (float)met_round(rules->store, (double)met_node_sum(node->count, addends, rules->fraction, rules->final));
}

float met_bracketing_run(met_arena *scratch, const met_bracketing *tree, const met_bracketing_rules *rules,
                         const float *leaves)
{
    met_tree addition = met_tree_sequential(MET_F32);
    addition.mode = (uint8_t)rules->mode;
    addition.store = (uint8_t)rules->store;
    float *value = MET_NEW_ARRAY(scratch, float, tree->node_count);
    double *addends = MET_NEW_ARRAY(scratch, double, tree->leaf_count);
    for (uint32_t i = 0; i < tree->node_count; i++) {
        const met_bracketing_node *node = &tree->nodes[i];
        value[i] = node->count == 0 ? leaves[node->leaf] : run_node(rules, &addition, tree, node, value, addends);
    }
    return value[tree->node_count - 1];
}
