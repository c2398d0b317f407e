/* The tree from pivots: a leaf is taken at random, the others are grouped by the node where they meet it, and each group is
 * the leaves of whole children of one node, a tree to be found likewise. What groups are is asked in the three ways of
 * docs/reveal.md. Expected depth is logarithmic; the stack is on the heap, so that no answers can overflow it. */
#include "base/vec.h"
#include "reveal/parts.h"

/* Children hang in lists, since more come. */
typedef struct sprout {
    uint32_t leaf; /* of one without children */
    uint32_t first, last, next;
    uint32_t some; /* a leaf under it */
} sprout;

typedef struct frame {
    uint64_t begin, end; /* of its items; the pivot is the first */
    uint64_t at;         /* where the next group begins, */
    uint64_t group_end;  /* or the one ends that is being built */
    uint32_t cur;        /* the subtree of the pivot so far; REVEAL_NONE before there is one */
    uint32_t largest;
} frame;

typedef struct builder {
    reveal *r;
    const reveal_way *way;
    reveal_item *items;
    sprout *sprouts;
    uint32_t sprout_count;
    MET_VEC(frame) stack;
} builder;

static uint32_t add_leaf(builder *b, uint32_t leaf)
{
    b->sprouts[b->sprout_count] = (sprout){leaf, REVEAL_NONE, REVEAL_NONE, REVEAL_NONE, leaf};
    return b->sprout_count++;
}

static void add_child(builder *b, uint32_t parent, uint32_t child)
{
    sprout *p = &b->sprouts[parent];
    if (p->first == REVEAL_NONE) {
        p->first = child;
    } else {
        b->sprouts[p->last].next = child;
    }
    p->last = child;
}

static uint32_t add_node(builder *b, uint32_t left, uint32_t right)
{
    b->sprouts[b->sprout_count] = (sprout){REVEAL_NONE, REVEAL_NONE, REVEAL_NONE, REVEAL_NONE, b->sprouts[left].some};
    add_child(b, b->sprout_count, left);
    add_child(b, b->sprout_count, right);
    return b->sprout_count++;
}

static void begin_frame(builder *b, frame *f)
{
    uint64_t pivot = f->begin + reveal_random(b->r, f->end - f->begin);
    reveal_item chosen = b->items[pivot];
    b->items[pivot] = b->items[f->begin];
    b->items[f->begin] = chosen;
    f->cur = add_leaf(b, chosen.leaf);
    f->at = f->begin + 1;
    f->largest = 1;
    b->way->sort(b->r, chosen.leaf, f->end - f->at, b->items + f->at);
}

/* Joins the tree of the group at hand to the pivot's. */
static void join_group(builder *b, frame *f, uint32_t root, uint32_t key, uint32_t largest)
{
    const sprout *s = &b->sprouts[root];
    reveal_group group = {.pivot = b->items[f->begin].leaf, .done = f->at - f->begin, .count = f->group_end - f->at,
                          .key = key, .largest = largest, .last = f->group_end == f->end};
    if (s->first != REVEAL_NONE) {
        group.left = b->sprouts[s->first].some;
        group.right = b->sprouts[b->sprouts[s->first].next].some;
    }
    if (b->way->further(b->r, &group)) {
        add_child(b, root, f->cur);
        f->cur = root;
    } else {
        f->cur = add_node(b, f->cur, root);
    }
    f->largest = key;
    f->at = f->group_end;
}

/* The next group: its end, and its key. */
static uint32_t next_group(const builder *b, frame *f)
{
    uint32_t key = b->items[f->at].key;
    f->group_end = f->at;
    while (f->group_end < f->end && b->items[f->group_end].key == key) {
        f->group_end++;
    }
    return key;
}

static uint32_t grow(builder *b)
{
    uint32_t root = REVEAL_NONE, largest = 0, *keys = MET_NEW_ARRAY(b->r->arena, uint32_t, b->r->leaves);
    MET_PUSH(b->r->arena, &b->stack, ((frame){.end = b->r->leaves, .cur = REVEAL_NONE}));
    while (b->stack.count > 0 && reveal_goes_on(b->r)) {
        frame *f = &b->stack.at[b->stack.count - 1];
        if (f->cur == REVEAL_NONE) {
            begin_frame(b, f);
        } else if (root != REVEAL_NONE) {
            join_group(b, f, root, keys[f->at], largest);
            root = REVEAL_NONE;
        }
        while (f->at < f->end && reveal_goes_on(b->r)) {
            uint32_t key = next_group(b, f);
            if (f->group_end - f->at > 1) {
                keys[f->at] = key; /* sorting the group will overwrite its own */
                frame inner = {.begin = f->at, .end = f->group_end, .cur = REVEAL_NONE};
                MET_PUSH(b->r->arena, &b->stack, inner);
                break;
            }
            join_group(b, f, add_leaf(b, b->items[f->at].leaf), key, 1);
        }
        f = &b->stack.at[b->stack.count - 1];
        if (f->cur != REVEAL_NONE && f->at == f->end) {
            root = f->cur;
            largest = f->largest;
            b->stack.count--;
        }
    }
    return root;
}

/* Children before parents. The stack holds nodes whose children are being written. */
static const met_bracketing *written(builder *b, uint32_t root)
{
    met_arena *arena = b->r->arena;
    met_bracketing *tree = MET_NEW(arena, met_bracketing);
    met_bracketing_node *nodes = MET_NEW_ARRAY(arena, met_bracketing_node, b->sprout_count);
    uint32_t *children = MET_NEW_ARRAY(arena, uint32_t, b->sprout_count), child_count = 0;
    uint32_t *place = MET_NEW_ARRAY(arena, uint32_t, b->sprout_count);
    uint32_t *stack = MET_NEW_ARRAY(arena, uint32_t, b->sprout_count), depth = 0;
    bool *open = MET_NEW_ARRAY(arena, bool, b->sprout_count);
    stack[depth++] = root;
    while (depth > 0) {
        uint32_t at = stack[depth - 1];
        if (b->sprouts[at].first != REVEAL_NONE && !open[at]) {
            open[at] = true;
            for (uint32_t c = b->sprouts[at].first; c != REVEAL_NONE; c = b->sprouts[c].next) {
                stack[depth++] = c;
            }
            continue;
        }
        met_bracketing_node *node = &nodes[tree->node_count];
        *node = (met_bracketing_node){.leaf = b->sprouts[at].leaf, .first = child_count};
        for (uint32_t c = b->sprouts[at].first; c != REVEAL_NONE; c = b->sprouts[c].next) {
            children[child_count++] = place[c];
            node->count++;
        }
        node->leaf = node->count ? 0 : node->leaf;
        place[at] = tree->node_count++;
        depth--;
    }
    tree->nodes = nodes;
    tree->children = children;
    tree->leaf_count = (uint32_t)b->r->leaves;
    return tree;
}

const met_bracketing *reveal_shape(reveal *r, const reveal_way *way)
{
    builder b = {.r = r, .way = way, .items = MET_NEW_ARRAY(r->arena, reveal_item, r->leaves),
                 .sprouts = MET_NEW_ARRAY(r->arena, sprout, 2 * r->leaves)};
    for (uint64_t i = 0; i < r->leaves; i++) {
        b.items[i].leaf = (uint32_t)i;
    }
    uint32_t root = grow(&b);
    return reveal_goes_on(r) ? written(&b, root) : NULL;
}

/* --- Sorting by comparisons --- */

typedef struct range {
    uint64_t begin, end;
} range;

/* Three parts around a random item: those before it, those with it, those after it. */
static range partition(reveal *r, uint32_t pivot, range of, reveal_item *items, reveal_item *spare,
                       int (*compare)(reveal *r, uint32_t pivot, uint32_t k, uint32_t j))
{
    uint64_t j = of.begin + reveal_random(r, of.end - of.begin), low = of.begin, high = of.end, same = 0;
    uint32_t leaf = items[j].leaf;
    for (uint64_t i = of.begin; i < of.end; i++) {
        int order = i == j ? 0 : compare(r, pivot, items[i].leaf, leaf);
        if (order < 0) {
            items[low++] = items[i]; /* never ahead of i */
        } else if (order > 0) {
            spare[--high] = items[i];
        } else {
            spare[of.begin + same++] = items[i];
        }
    }
    for (uint64_t i = 0; i < same; i++) {
        items[low + i] = spare[of.begin + i];
    }
    for (uint64_t i = high; i < of.end; i++) {
        items[i] = spare[i];
    }
    return (range){low, high};
}

void reveal_quicksort(reveal *r, uint32_t pivot, uint64_t count, reveal_item *items,
                      int (*compare)(reveal *r, uint32_t pivot, uint32_t k, uint32_t j))
{
    MET_VEC(range) todo = {0};
    reveal_item *spare = MET_NEW_ARRAY(r->arena, reveal_item, count);
    MET_PUSH(r->arena, &todo, ((range){0, count}));
    while (todo.count > 0 && reveal_goes_on(r)) {
        range of = todo.at[--todo.count];
        if (of.begin == of.end) {
            continue;
        }
        range same = partition(r, pivot, of, items, spare, compare);
        for (uint64_t i = same.begin; i < same.end; i++) {
            items[i].key = (uint32_t)same.begin + 2;
        }
        MET_PUSH(r->arena, &todo, ((range){of.begin, same.begin}));
        MET_PUSH(r->arena, &todo, ((range){same.end, of.end}));
    }
}
