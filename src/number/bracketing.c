#include "number/bracketing.h"

#include <math.h>

#include "base/vec.h"
#include "number/exact.h"
#include "number/fold.h"

#define NOWHERE UINT32_MAX

typedef struct build {
    met_arena *arena;
    MET_VEC(met_bracketing_node) nodes;
    MET_VEC(uint32_t) children;
    uint32_t leaf_count;
} build;

static uint32_t add_node(build *b, met_bracketing_node node)
{
    MET_PUSH(b->arena, &b->nodes, node);
    b->leaf_count += node.count == 0;
    return (uint32_t)b->nodes.count - 1;
}

static uint32_t add_pair(build *b, uint32_t left, uint32_t right)
{
    uint32_t first = (uint32_t)b->children.count;
    MET_PUSH(b->arena, &b->children, left);
    MET_PUSH(b->arena, &b->children, right);
    return add_node(b, (met_bracketing_node){.first = first, .count = 2});
}

static const met_bracketing *finish(const build *b)
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

/* Closes the node whose children are the places on the stack from `base` on. */
static uint32_t close_node(build *b, const uint32_t *places, size_t count)
{
    uint32_t first = (uint32_t)b->children.count;
    for (size_t i = 0; i < count; i++) {
        MET_PUSH(b->arena, &b->children, places[i]);
    }
    return add_node(b, (met_bracketing_node){.first = first, .count = (uint32_t)count});
}

typedef struct parser {
    build b;
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
        place = close_node(&p->b, p->places.at + base, p->places.count - base);
        p->places.count = base;
    } else {
        uint32_t leaf;
        if (!read_leaf(text, &leaf) || p->b.leaf_count >= MET_BRACKETING_LEAVES) {
            return false;
        }
        place = add_node(&p->b, (met_bracketing_node){.leaf = leaf});
    }
    MET_PUSH(p->b.arena, &p->places, place);
    return true;
}

static bool leaves_complete(const build *b)
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
    return p->places.count == 1 && p->depth == 0 && leaves_complete(&p->b) ? finish(&p->b) : NULL;
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
            met_text_format(out, "%u", (unsigned)node->leaf);
            continue;
        }
        met_text_char(out, '(');
        MET_PUSH(out->arena, &todo, UINT32_MAX);
        for (uint32_t i = node->count; i-- > 0;) {
            MET_PUSH(out->arena, &todo, tree->children[node->first + i]);
        }
    }
}

/* A record's tree in the making: where the partial result at each place stands among the nodes. */
typedef struct growth {
    build b;
    uint32_t *place;
} growth;

static void pair_places(void *context, uint64_t to, uint64_t from)
{
    growth *g = context;
    g->place[to] = add_pair(&g->b, g->place[to], g->place[from]);
}

/* Terms of a partial result in groups, the accumulator first; a group of one term that starts is that term. */
static uint32_t chain_groups(growth *g, met_terms terms, uint32_t width)
{
    uint32_t places[MET_MATRIX_WIDTH + 1], acc = NOWHERE;
    for (uint64_t i = 0; i < terms.count; i += width) {
        uint32_t count = 0;
        if (acc != NOWHERE) {
            places[count++] = acc;
        }
        for (uint64_t k = i; k < terms.count && k < i + width; k++) {
            places[count++] = g->place[terms.base + k * terms.step];
        }
        acc = count == 1 ? places[0] : close_node(&g->b, places, count);
    }
    return acc;
}

/* The second term of each pair meets the accumulator before the first does. */
static uint32_t chain_pairs(growth *g, met_terms terms)
{
    uint32_t acc = NOWHERE;
    for (uint64_t i = 0; i < terms.count; i++) {
        uint64_t term = i % 2 ? i - 1 : i + 1 < terms.count ? i + 1 : i;
        uint32_t place = g->place[terms.base + term * terms.step];
        acc = acc == NOWHERE ? place : add_pair(&g->b, acc, place);
    }
    return acc;
}

static growth start_growth(met_arena *arena, uint64_t n)
{
    growth g = {.b = {.arena = arena}, .place = MET_NEW_ARRAY(arena, uint32_t, n)};
    for (uint64_t i = 0; i < n; i++) {
        g.place[i] = add_node(&g.b, (met_bracketing_node){.leaf = (uint32_t)i});
    }
    return g;
}

const met_bracketing *met_bracketing_of(met_arena *arena, const met_tree *record, uint64_t n)
{
    if (n == 0 || n > MET_BRACKETING_LEAVES) {
        return NULL;
    }
    growth g = start_growth(arena, n);
    uint64_t parts = met_tree_part_count(record, n);
    uint32_t *partial = MET_NEW_ARRAY(arena, uint32_t, parts);
    for (uint64_t part = 0; part < parts && record->node != MET_NODE_ADD; part++) {
        met_terms terms = met_tree_part(record, n, part);
        bool pairs = record->node == MET_NODE_PAIRS;
        partial[part] = pairs ? chain_pairs(&g, terms) : chain_groups(&g, terms, record->unit.width);
    }
    g.place = record->node == MET_NODE_ADD ? g.place : partial;
    met_tree_walk(record, n, record->node == MET_NODE_ADD, pair_places, &g);
    return finish(&g.b);
}

const met_bracketing *met_bracketing_chain(met_arena *arena, uint32_t width, uint64_t n)
{
    if (n == 0 || n >= MET_BRACKETING_LEAVES || width == 0 || width > MET_MATRIX_WIDTH) {
        return NULL;
    }
    growth g = start_growth(arena, n + 1);
    uint32_t places[MET_MATRIX_WIDTH + 1], acc = g.place[n];
    for (uint64_t i = 0; i < n; i += width) {
        uint32_t count = 0;
        for (uint64_t k = i; k < n && k < i + width; k++) {
            places[count++] = g.place[k];
        }
        places[count++] = acc;
        acc = close_node(&g.b, places, count);
    }
    return finish(&g.b);
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
