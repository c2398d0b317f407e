/* Inputs of the search for witnesses: a few terms, or many, of sizes and bits at which records round, cut, overflow or flush. */
#include "number/witness_parts.h"

enum { FEW = 16 };

/* --- Leaves that meet early, or where the forms differ --- */

static uint32_t leaf_below(met_search *s, const met_bracketing *tree, uint32_t node)
{
    while (tree->nodes[node].count) {
        node = tree->children[tree->nodes[node].first + met_search_below(s, tree->nodes[node].count)];
    }
    return tree->nodes[node].leaf;
}

/* Leaves for a try: around some node of one of the trees, and after those anywhere. They may repeat. */
static void choose_leaves(met_search *s, uint32_t *leaves, int count)
{
    int side = (int)met_search_below(s, 2), done = 0;
    for (bool narrow = s->steps && met_search_below(s, 2); narrow && done < count && (done < 3 || met_search_below(s, 4)); done++) {
        leaves[done] = met_steps_leaf(s->steps, s->forms[side], &s->random);
    }
    const met_bracketing *tree = s->shapes[side];
    if (tree && tree->node_count > 1 && met_search_below(s, 4)) {
        uint32_t node = (uint32_t)met_search_below(s, tree->node_count);
        node = tree->nodes[node].count ? node : s->parents[side][node];
        for (int first = done; done < count; done++) {
            leaves[done] = leaf_below(s, tree, done < first + 2 && tree->nodes[node].count > (uint32_t)(done - first)
                                                   ? tree->children[tree->nodes[node].first + (uint32_t)(done - first)]
                                                   : node);
            node = done > first && met_search_below(s, 2) ? s->parents[side][node] : node;
        }
    }
    for (; done < count; done++) {
        leaves[done] = (uint32_t)met_search_below(s, s->n);
    }
    for (int i = count - 1; i > 0; i--) {
        uint64_t other = met_search_below(s, (uint64_t)i + 1);
        uint32_t leaf = leaves[i];
        leaves[i] = leaves[other];
        leaves[other] = leaf;
    }
}

/* --- Tries --- */

/* Where a try plays: about 1; anywhere; where results become subnormal; where they overflow. */
static int base_exponent(met_search *s)
{
    int high = met_search_limit(s, true), low = met_search_limit(s, false), at;
    switch (met_search_below(s, 6)) {
    case 0:
        at = met_search_between(s, low, high);
        break;
    case 1:
        at = met_search_between(s, -152, -122);
        break;
    case 2:
        at = met_search_below(s, 2) ? met_search_between(s, 124, 129) : met_search_between(s, 13, 17);
        break;
    case 3:
        at = met_search_below(s, 2) ? high : met_search_below(s, 2) ? met_search_between(s, -28, -13) : met_search_between(s, -136, -130);
        break;
    default:
        at = met_search_between(s, -2, 2);
    }
    return at < low ? low : at > high ? high : at;
}

/* A few terms among zeros: of sizes that are apart by up to what an arithmetic holds, some of them opposite. */
static void try_few(met_search *s)
{
    uint32_t leaves[FEW];
    int count = met_search_between(s, 1, met_search_below(s, 3) ? 4 : FEW), base = base_exponent(s), at = base;
    int spread = met_search_below(s, 2) ? 2 : met_search_below(s, 2) ? 30 : 64;
    choose_leaves(s, leaves, count);
    for (int i = 0; i < count; i++) {
        if (i > 0 && met_search_below(s, 3) == 0) {
            met_search_put_opposite(s, leaves[i], leaves[met_search_below(s, (uint64_t)i)]);
        } else {
            (met_search_below(s, 4) ? met_search_put_term : met_search_put_near)(s, leaves[i], at);
        }
        at = met_search_below(s, 4) ? base - met_search_between(s, 0, spread) : at - met_search_between(s, 22, 27);
    }
}

static void try_all(met_search *s)
{
    int base = base_exponent(s), spread = met_search_below(s, 3) ? 1 : met_search_between(s, 2, 40);
    bool negative = met_search_below(s, 4) == 0;
    for (uint64_t i = 0; i < s->n; i++) {
        met_search_put_term(s, (uint32_t)i, base - met_search_between(s, 0, spread));
        s->a[i] = negative ? -fabs(s->a[i]) : s->a[i];
        if (i > 0 && !negative && met_search_below(s, 8) == 0) {
            met_search_put_opposite(s, (uint32_t)i, (uint32_t)met_search_below(s, i));
        }
    }
}

/* Powers of two that an addition of some precision just holds, or does not. */
static void try_stairs(met_search *s)
{
    static const int steps[] = {0, 0, 0, 8, 9, 11, 12, 23, 24, 24, 25, 25, 53, 54};
    uint32_t leaves[4];
    int count = met_search_between(s, 2, 4), high = met_search_limit(s, true), low = met_search_limit(s, false);
    int base = met_search_below(s, 2) ? high - met_search_between(s, 0, 2) : met_search_between(s, 0, high < 16 ? high : 16);
    choose_leaves(s, leaves, count);
    for (int i = 0; i < count; i++) {
        int down = met_search_below(s, 4) ? steps[met_search_below(s, sizeof steps / sizeof steps[0])] : met_search_between(s, 0, 62);
        int exponent = base - down < low ? low : base - down;
        if (met_search_below(s, 3)) {
            met_search_put_value(s, leaves[i], met_search_below(s, 2) ? 1 : -1, exponent);
        } else {
            met_search_put_near(s, leaves[i], exponent);
        }
    }
}

/* A width that one of the records has, and now and then another. */
static int some_width(met_search *s)
{
    return met_search_below(s, 8) ? s->widths[met_search_below(s, (uint64_t)s->width_count)] : met_search_between(s, 1, 26);
}

/* Of a tie: the exponent of its highest bit. Anywhere, about 1, as large as terms are, and where formats end. */
static int tie_exponent(met_search *s)
{
    static const int ends[] = {-149, -133, -126, -24, -14, 15, 16, 127};
    int high = met_search_limit(s, true), low = met_search_limit(s, false), at;
    switch (met_search_below(s, 5)) {
    case 0:
        at = met_search_between(s, low, high);
        break;
    case 1: /* the least bit is about to be cut */
        at = low + some_width(s) + met_search_between(s, -1, 2);
        break;
    case 2:
        at = high - met_search_between(s, 0, 3);
        break;
    case 3:
        at = ends[met_search_below(s, sizeof ends / sizeof ends[0])] + met_search_between(s, -2, 12);
        break;
    default:
        at = met_search_between(s, -1, 12);
    }
    return at < low ? low : at > high ? high : at;
}

/* The middle between two numbers of some width, and its exponent; or one that rounds to such; or a power of two; or a middle
 * between subnormal numbers. */
static uint64_t some_middle(met_search *s, int *ret_last)
{
    static const int halves[] = {-25, -25, -134, -150};
    bool sinks = met_search_below(s, 4) == 0;
    int width = sinks ? met_search_between(s, 0, 10) : some_width(s), outer = some_width(s);
    int shift = !sinks && outer > width && outer < 62 && met_search_below(s, 2) ? outer - width : 0;
    uint64_t whole = (uint64_t)1 << width | met_search_next(s) >> 1 >> (63 - width) | 1;
    whole = met_search_below(s, 6) == 0 ? (uint64_t)1 << width : whole;
    whole = shift ? (whole << shift) + met_search_below(s, 3) - 1 : whole;
    *ret_last = sinks ? halves[met_search_below(s, sizeof halves / sizeof halves[0])] : tie_exponent(s) - width - shift;
    return whole;
}

/* Something small that says to which side a middle goes: as small as its last bits or its rounding, or as numbers can be. */
static void put_small(met_search *s, uint32_t leaf, int exponent)
{
    uint64_t part = 1 + met_search_below(s, met_search_below(s, 2) ? 3 : 64);
    int down = met_search_below(s, 4) ? some_width(s) + met_search_between(s, -1, 3) : met_search_between(s, 0, 60);
    int at = met_search_below(s, 8) ? exponent - down : met_search_between(s, -149, -127); /* or subnormal */
    double sign = met_search_below(s, 2) ? 1 : -1;
    if (met_search_below(s, 6) == 0 || !met_search_put_whole(s, leaf, sign, part, at - ilogb((double)part))) {
        met_search_put_least(s, leaf, sign, (int)part);
    }
}

static void try_tie(met_search *s)
{
    uint32_t leaves[4];
    int count = met_search_between(s, 2, 4), last;
    uint64_t whole = some_middle(s, &last);
    int exponent = last + ilogb((double)whole);
    choose_leaves(s, leaves, count);
    if (!met_search_put_whole(s, leaves[0], met_search_below(s, 2) ? 1 : -1, whole, last)) {
        met_search_put_near(s, leaves[0], exponent);
    }
    for (int i = 1; i < count; i++) {
        put_small(s, leaves[i], exponent);
    }
}

/* All as large or as small as they can be, or equal, but for a few. */
static void try_full(met_search *s)
{
    uint32_t leaves[3];
    int count = met_search_between(s, 1, 3), exponent = base_exponent(s);
    uint64_t signs = met_search_below(s, 3), absent = met_search_below(s, 3), size = met_search_below(s, 5);
    for (uint64_t i = 0; i < s->n; i++) {
        double sign = signs == 0 || (signs == 2 && met_search_below(s, 2)) ? -1 : 1;
        if (absent == 0 && met_search_below(s, 4) == 0) {
            continue;
        }
        if (size > 1) {
            met_search_put_largest(s, (uint32_t)i, sign);
        } else if (size) {
            met_search_put_least(s, (uint32_t)i, sign, 1);
        } else {
            met_search_put_value(s, (uint32_t)i, sign, exponent);
        }
    }
    choose_leaves(s, leaves, count);
    for (int i = 0; i < count; i++) {
        double sign = met_search_below(s, 2) ? 1 : -1;
        if (met_search_below(s, 2)) {
            met_search_put_least(s, leaves[i], sign, (int)met_search_below(s, 3)); /* or a zero */
        } else {
            met_search_put_term(s, leaves[i], tie_exponent(s));
        }
    }
}

/* Two terms that cancel but for something subnormal, among zeros, or what becomes one once stored. */
static void try_sunk(met_search *s)
{
    uint32_t leaves[3];
    int last = met_search_between(s, -133, -129);
    bool sinks = met_search_below(s, 2) && met_search_limit(s, false) <= -60;
    for (uint64_t i = 0; i < s->n && sinks; i++) {
        if (met_search_below(s, 2)) {
            met_search_put_value(s, (uint32_t)i, -1, -60);
        }
    }
    choose_leaves(s, leaves, 3);
    for (int i = 0; i < 2; i++) {
        if (!met_search_put_whole(s, leaves[i], i ? -1 : 1, 8 + met_search_below(s, 8), last)) {
            met_search_put_least(s, leaves[i], i ? -1 : 1, 1 + (int)met_search_below(s, 8));
        }
    }
    if (met_search_below(s, 2)) {
        s->a[leaves[2]] = -s->a[leaves[2]];
    }
}

/* A product of two such numbers, or one. */
static void put_full(met_search *s, uint32_t leaf, double number, double sign)
{
    s->a[leaf] = sign * number;
    s->b[leaf] = s->operands.sum ? 1 : number;
}

/* Sums as large as their largest term allows, of the terms that one node takes or of some, with something in the last bits. */
static void try_bulk(met_search *s)
{
    double number = ldexp(2 - ldexp(1, 1 - s->bits), met_search_between(s, -1, 1)), sign = met_search_below(s, 4) ? 1 : -1;
    const met_bracketing *tree = s->shapes[met_search_below(s, 2)];
    uint64_t present = 1 + met_search_below(s, 3);
    if (tree && met_search_below(s, 2)) {
        const met_bracketing_node *node = &tree->nodes[met_search_below(s, tree->node_count)];
        for (uint32_t c = 0; c < node->count; c++) {
            const met_bracketing_node *child = &tree->nodes[tree->children[node->first + c]];
            if (child->count == 0) {
                put_full(s, child->leaf, number, sign);
            }
        }
    } else {
        for (uint64_t i = 0; i < s->n; i++) {
            if (met_search_below(s, 4) < present) {
                put_full(s, (uint32_t)i, number, sign);
            }
        }
    }
    met_search_put_term(s, (uint32_t)met_search_below(s, s->n), met_search_between(s, -3, 2));
}

/* The middle between two numbers of f32 next to the middle between two of a store, and something that flushing takes away, in one
 * addition. */
static void try_middles(met_search *s)
{
    enum { ATTEMPTS = 16, BITS = 24 };
    const met_bracketing *tree = s->shapes[met_search_below(s, 2)];
    uint32_t leaves[2];
    choose_leaves(s, leaves, 2);
    if (tree) {
        const met_bracketing_node *node = &tree->nodes[met_search_below(s, tree->node_count)];
        for (uint32_t c = 0; c < 2 && c < node->count; c++) {
            leaves[c] = leaf_below(s, tree, tree->children[node->first + c]);
        }
    }
    int width = some_width(s), big = (int)met_search_below(s, 2), last = met_search_between(s, -34, -14);
    width = width < 2 || width > BITS - 2 ? 11 : width;
    for (int i = 0; i < ATTEMPTS; i++) {
        uint64_t whole = ((uint64_t)1 << BITS) + (met_search_below(s, (uint64_t)1 << (width - 1)) << (BITS + 1 - width));
        whole += ((uint64_t)1 << (BITS - width)) + (met_search_below(s, 2) ? 1 : (uint64_t)-1);
        if (met_search_put_whole(s, leaves[big], met_search_below(s, 2) ? 1 : -1, whole, last)) {
            break;
        }
        met_search_put_least(s, leaves[big], 1, 1);
    }
    met_search_put_term(s, leaves[1 - big], met_search_between(s, -148, -127));
}

/* A number of few bits, and as little as there is, which one of the records is about to cut. */
static void try_cut(met_search *s)
{
    uint32_t leaves[2];
    uint64_t whole = 1 + 2 * met_search_below(s, (uint64_t)1 << met_search_between(s, 0, 7));
    int exponent = met_search_limit(s, false) + some_width(s) + met_search_between(s, -1, 2);
    double sign = met_search_below(s, 2) ? 1 : -1;
    choose_leaves(s, leaves, 2);
    if (met_search_put_whole(s, leaves[0], sign, whole, exponent - ilogb((double)whole))) {
        met_search_put_least(s, leaves[1], -sign, 1 + (int)met_search_below(s, 3));
    } else {
        met_search_put_term(s, leaves[0], exponent);
    }
}

bool met_search_try_pair(met_search *s)
{
    met_step_pair pair;
    uint32_t leaves[2];
    if (!met_steps_pair(s->steps, &s->random, &pair)) {
        return false;
    }
    int base = met_search_between(s, -1, 1) + (met_search_limit(s, true) + met_search_limit(s, false)) / 4;
    double sign = met_search_below(s, 2) ? 1 : -1;
    met_search_fill(s, 0);
    choose_leaves(s, leaves, 2);
    met_search_put_whole(s, leaves[0], sign, pair.product, base + pair.of_product);
    met_search_put_whole(s, leaves[1], pair.alike ? sign : -sign, pair.other, base + pair.of_other);
    return true;
}

void met_search_try(met_search *s, uint64_t number)
{
    static void (*const tries[])(met_search *) = {try_stairs, try_few, try_few, try_all, try_tie, try_tie, try_full};
    met_search_fill(s, number % 2 ? -0.0 : 0.0);
    if (number >= 2) { /* zeros alone before */
        tries[met_search_below(s, sizeof tries / sizeof tries[0])](s);
    }
}

void met_search_try_rare(met_search *s)
{
    static void (*const tries[])(met_search *) = {try_sunk, try_bulk, try_middles, try_cut};
    met_search_fill(s, met_search_below(s, 2) ? -0.0 : 0.0);
    tries[met_search_below(s, sizeof tries / sizeof tries[0])](s);
}
