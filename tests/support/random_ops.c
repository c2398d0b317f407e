/* Random equations, op by op. */
#include <stdio.h>
#include <string.h>

#include "support/random_parts.h"

static const char letters[] = "abcde";

/* "i j k" for the positions of an array. */
static const char *local(const array *a)
{
    static const char *const lists[] = { "", "i", "i j", "i j k", "i j k l" };
    return lists[a->rank];
}

/* The bracket of an op with one target: the last position alone, or named after the shape. */
static void put_target(generator *g, const array *a, unsigned target)
{
    if (target + 1 == a->rank && random_below(&g->r, 2))
        put(g->w, "[%c", random_labels[target]);
    else
        put(g->w, "[%s; %c", local(a), random_labels[target]);
}

static void without(const array *a, unsigned position, char *ret_axes)
{
    unsigned n = 0;
    for (unsigned p = 0; p < a->rank; p++)
        if (p != position)
            ret_axes[n++] = a->axes[p];
    ret_axes[n] = 0;
}

/* --- Ops: each writes one equation, or nothing if no array fits --- */

static void begin(generator *g, char *name)
{
    snprintf(name, 8, "v%u", g->made);
    put(g->w, "%s = ", name);
}

static void map_one(generator *g)
{
    static const char *const ops[] = { "exp",  "exp2", "log",    "sqrt",    "rsqrt", "neg",       "abs",  "recip", "square", "sin",
                                       "cos",  "erf",  "relu",   "relu2",   "silu",  "sigmoid",   "gelu", "tanh",  "gelu_tanh", NULL };
    static const char *const formulas[] = { "{ a*2 - 1/(3 + a^2) }", "{ select(a > 0.25, a, exp(a)) }", "{ max(a, -a)*1e-3 }",
                                            "{ fma(a, 2, -1.5) - -a }", "{ -(a - 0.5)^2 }", NULL };
    const array *a = random_pick_any(g, 0);
    char name[8];
    if (!a)
        return;
    begin(g, name);
    unsigned kind = random_below(&g->r, 6);
    if (kind == 0)
        put(g->w, "map['%s -> %s'](%s, %s)\n", local(a), local(a), a->name, random_word(&g->r, formulas));
    else if (kind == 1 && a->rank)
        put(g->w, "map['%s -> %s'](%s, { a + i_%c/2 })\n", local(a), local(a), a->name, random_labels[random_below(&g->r, a->rank)]);
    else if (kind == 2)
        put(g->w, "scale(%s, %s)\n", a->name, random_word(&g->r, (const char *const[]){ "d^-0.5", "0.125", "1/b", "a*b", NULL }));
    else if (kind == 3)
        put(g->w, "softcap(%s, 2.5)\n", a->name);
    else
        put(g->w, "%s(%s)\n", random_word(&g->r, ops), a->name);
    bool masked = a->masked;
    random_add(g, a->axes)->masked = masked;
}

static void map_two(generator *g)
{
    static const char *const ops[] = { "add", "sub", "mul", "div", "pow", "maximum", "minimum", NULL };
    const array *a = random_pick(g, 0, true), *b = NULL;
    for (unsigned i = 0; a && i < g->count; i++)
        if (!g->arrays[i].integer && !g->arrays[i].half && strcmp(g->arrays[i].axes, a->axes) == 0 && (!b || random_below(&g->r, 2)))
            b = &g->arrays[i];
    char name[8];
    if (!a || !b)
        return;
    bool masked = a->masked || b->masked;
    begin(g, name);
    put(g->w, "%s(%s, %s)\n", random_word(&g->r, ops), a->name, b->name);
    random_add(g, a->axes)->masked = masked;
}

/* Labels for the positions of b, some of them those of a where the axes agree. */
static void share_labels(generator *g, const array *a, const array *b, char *ret_labels)
{
    bool taken[RANK] = { false };
    for (unsigned p = 0; p < b->rank; p++) {
        ret_labels[p] = (char)('m' + p);
        for (unsigned q = 0; q < a->rank; q++) {
            if (a->axes[q] != b->axes[p] || taken[q] || random_below(&g->r, 4) == 0)
                continue;
            ret_labels[p] = random_labels[q];
            taken[q] = true;
            break;
        }
    }
    ret_labels[b->rank] = 0;
}

/* Some of the labels of both, in a random order, with their axes. */
static void choose_result(generator *g, const array *a, const array *b, const char *b_labels, bool keep_all_of_a, char *ret_labels, char *ret_axes)
{
    char all[2 * RANK + 1], axes[2 * RANK + 1];
    unsigned n = 0, kept = 0;
    for (unsigned p = 0; p < a->rank; p++, n++)
        all[n] = random_labels[p], axes[n] = a->axes[p];
    for (unsigned p = 0; p < b->rank; p++)
        if (b_labels[p] >= 'm')
            all[n] = b_labels[p], axes[n++] = b->axes[p];
    for (unsigned i = n; i-- > 1;) { /* shuffle */
        unsigned j = random_below(&g->r, i + 1);
        char l = all[i], x = axes[i];
        all[i] = all[j], axes[i] = axes[j], all[j] = l, axes[j] = x;
    }
    for (unsigned i = 0; i < n && kept < RANK; i++) {
        bool own = strchr(random_labels, all[i]) != NULL;
        if (!(own && keep_all_of_a) && random_below(&g->r, 3) == 0)
            continue;
        ret_labels[kept] = all[i];
        ret_axes[kept++] = axes[i];
    }
    ret_labels[kept] = ret_axes[kept] = 0;
}

static void put_spaced(generator *g, const char *list)
{
    for (unsigned i = 0; list[i]; i++)
        put(g->w, "%s%c", i ? " " : "", list[i]);
}

static void put_quoted(generator *g, const array *a, const char *b_labels, const char *result)
{
    put(g->w, "'%s", local(a));
    if (b_labels) {
        put(g->w, ", ");
        put_spaced(g, b_labels);
    }
    put(g->w, " -> ");
    put_spaced(g, result);
    put(g->w, "'");
}

static void contract(generator *g)
{
    static const char *const semirings[] = { "plus_times", "max_plus", "max_times", "or_and", NULL };
    const array *a = random_pick(g, 1, true), *b = random_pick(g, 1, true);
    char b_labels[RANK + 1], result[RANK + 1], axes[RANK + 1], name[8];
    if (!a || !b)
        return;
    bool masked = a->masked || b->masked;
    share_labels(g, a, b, b_labels);
    choose_result(g, a, b, b_labels, false, result, axes);
    begin(g, name);
    bool fold = random_below(&g->r, 4) == 0;
    if (fold)
        put(g->w, "fold[");
    put_quoted(g, a, b_labels, result);
    if (fold)
        put(g->w, "](%s, %s, { %s }, with=%s)\n", a->name, b->name,
            random_word(&g->r, (const char *const[]){ "a*b", "abs(a - b)", "a + b*i_i", NULL }),
            random_word(&g->r, (const char *const[]){ "add", "max", "min", "mul", "or", NULL }));
    else if (random_below(&g->r, 4) == 0)
        put(g->w, "(%s, %s, semiring=%s)\n", a->name, b->name, random_word(&g->r, semirings));
    else
        put(g->w, "(%s, %s)\n", a->name, b->name);
    random_add(g, axes)->masked = masked;
}

/* A binary map whose second array lacks some of the first one's axes, or has them in another order. */
static void broadcast(generator *g)
{
    const array *a = random_pick(g, 1, false), *b = random_pick(g, 0, false);
    char b_labels[RANK + 1], result[RANK + 1], axes[RANK + 1], name[8];
    if (!a || !b)
        return;
    share_labels(g, a, b, b_labels);
    for (unsigned p = 0; p < b->rank; p++)
        if (b_labels[p] >= 'm')
            return; /* its result would not be element by element */
    choose_result(g, a, b, b_labels, true, result, axes);
    begin(g, name);
    put(g->w, "%s[", random_word(&g->r, (const char *const[]){ "add", "sub", "mul", "maximum", NULL }));
    put_quoted(g, a, b_labels, result);
    put(g->w, "](%s, %s)\n", a->name, b->name);
    random_add(g, axes);
}

static void reduce(generator *g)
{
    static const char *const ops[] = { "sum", "max", "min", "prod", "any", "mean", "logsumexp", NULL };
    const array *a = random_pick_any(g, 1);
    char axes[RANK + 1], name[8];
    if (!a)
        return;
    unsigned target = random_below(&g->r, a->rank);
    bool masked = a->masked;
    begin(g, name);
    put(g->w, "%s", random_word(&g->r, ops));
    put_target(g, a, target);
    put(g->w, "](%s)\n", a->name);
    without(a, target, axes);
    random_add(g, axes)->masked = masked;
}

static void normalize(generator *g)
{
    static const char *const ops[] = { "softmax", "l1norm", "l2norm", "maxnorm", "rmsnorm", "layernorm", NULL };
    static const char *const options[] = { ", gain=no", ", eps=0.5", "", ", eps=0.001, gain=no", NULL };
    const array *a = random_pick_any(g, 1);
    char name[8];
    if (!a)
        return;
    const char *op = random_word(&g->r, ops);
    unsigned target = random_below(&g->r, a->rank);
    bool masked = a->masked;
    begin(g, name);
    put(g->w, "%s", op);
    put_target(g, a, target);
    put(g->w, "](%s%s)\n", a->name, strcmp(op, "rmsnorm") == 0 || strcmp(op, "layernorm") == 0 ? random_word(&g->r, options) : "");
    random_add(g, a->axes)->masked = masked;
}

static void mask(generator *g)
{
    const array *a = random_pick_any(g, 2);
    char name[8];
    if (!a)
        return;
    unsigned p = random_below(&g->r, a->rank), q = (p + 1 + random_below(&g->r, a->rank - 1)) % a->rank;
    char from = random_labels[p], to = random_labels[q];
    begin(g, name);
    switch (random_below(&g->r, 4)) {
    case 0:
        put(g->w, "mask.causal[%s; %c %c](%s)\n", local(a), from, to, a->name);
        break;
    case 1:
        put(g->w, "mask.window[%s; %c %c](%s, 2)\n", local(a), from, to, a->name);
        break;
    case 2:
        put(g->w, "mask[%s; %c %c](%s, { i_%c <= i_%c + 1 && 2*i_%c > i_%c - b })\n", local(a), from, to, a->name, from, to, to, from);
        break;
    default:
        if (a->rank == 2 && a->axes[0] == 'a')
            put(g->w, "mask.padding[i j; j](%s, lengths)\n", a->name);
        else
            put(g->w, "mask[%s; %c %c](%s, { i_%c == i_%c })\n", local(a), from, to, a->name, from, to);
        break;
    }
    random_add(g, a->axes)->masked = true;
}

static void linear(generator *g)
{
    const array *a = random_pick_any(g, 1);
    char axes[RANK + 2], name[8];
    if (!a)
        return;
    unsigned target = a->rank - 1;
    bool masked = a->masked;
    without(a, target, axes);
    char result = letters[random_below(&g->r, 5)];
    bool bias = random_below(&g->r, 3) == 0, two = a->rank < RANK && random_below(&g->r, 3) == 0;
    size_t n = strlen(axes);
    axes[n++] = result;
    if (two)
        axes[n++] = result == 'b' ? 'a' : 'b';
    axes[n] = 0;
    begin(g, name);
    put(g->w, "linear[%c -> %c%s](%s%s)\n", random_labels[target], result, two ? result == 'b' ? " a" : " b" : "", a->name, bias ? ", bias=yes" : "");
    random_add(g, axes)->masked = masked;
}

static void view(generator *g)
{
    const array *a = random_pick_any(g, 1);
    char axes[RANK + 1], name[8], list[RANK + 1];
    if (!a)
        return;
    unsigned p = random_below(&g->r, a->rank);
    snprintf(axes, sizeof axes, "%s", a->axes);
    bool strided = random_below(&g->r, 2), masked = random_below(&g->r, 4) == 0;
    if (strided || masked) /* otherwise it reads its own axis */
        axes[p] = letters[random_below(&g->r, 5)];
    for (unsigned k = 0; k < a->rank; k++)
        list[k] = k == p ? axes[p] : random_labels[k];
    list[a->rank] = 0;
    bool turn = a->rank == 2 && random_below(&g->r, 2);
    begin(g, name);
    put(g->w, "view[");
    if (turn) {
        put(g->w, "%c %c", list[1], list[0]);
        char x = axes[0];
        axes[0] = axes[1], axes[1] = x;
    } else {
        put_spaced(g, list);
    }
    put(g->w, " <- ");
    for (unsigned k = 0; k < a->rank; k++) {
        put(g->w, "%s", k ? ", " : "");
        if (k != p)
            put(g->w, "%c", random_labels[k]);
        else if (masked)
            put(g->w, "%c - 1", list[k]);
        else
            put(g->w, strided ? "2*%c + 1" : "%c", list[k]);
    }
    put(g->w, "](%s)\n", a->name);
    random_add(g, axes)->masked = true;
}

static void join(generator *g)
{
    const array *a = random_pick(g, 1, false);
    char name[8], axes[RANK + 1];
    if (!a)
        return;
    /* A result of size a+a … has no letter of its own: it is folded away at once. */
    unsigned p = random_below(&g->r, a->rank);
    begin(g, name);
    put(g->w, "%s[%s; %c](concat[%s; %c](%s, %s, %s))\n", random_word(&g->r, (const char *const[]){ "sum", "max", "mean", NULL }), local(a),
        random_labels[p], local(a), random_labels[p], a->name, a->name, a->name);
    without(a, p, axes);
    random_add(g, axes);
}

/* Cuts an axis of size 3 or 4 into parts of sizes 2 and 1, or 2 and 2. */
static void cut(generator *g)
{
    const array *a = random_pick_any(g, 1);
    char axes[RANK + 1];
    for (unsigned p = 0; a && p < a->rank; p++) {
        if (random_size(a->axes[p]) < 3 || g->parted[a->axes[p] - 'a'])
            continue;
        g->parted[a->axes[p] - 'a'] = true;
        char rest = random_size(a->axes[p]) == 3 ? 'c' : 'e';
        bool masked = a->masked;
        put(g->w, "v%u, v%u = split", g->made, g->made + 1);
        put_target(g, a, p);
        put(g->w, " -> a, %c](%s)\n", rest, a->name);
        snprintf(axes, sizeof axes, "%s", a->axes);
        axes[p] = 'a';
        random_add(g, axes)->masked = masked;
        axes[p] = rest;
        random_add(g, axes)->masked = masked;
        return;
    }
}

static void rotate(generator *g)
{
    static const char *const options[] = { "", ", style=interleaved", ", theta=100, offset=3", ", scaling=linear, factor=2",
                                           ", scaling=llama3, factor=8, low=1, high=4, original=16", NULL };
    const array *a = random_pick(g, 2, false);
    char name[8];
    if (!a || random_size(a->axes[a->rank - 1]) % 2 != 0)
        return;
    begin(g, name);
    unsigned p = random_below(&g->r, a->rank - 1);
    put(g->w, "rope[%s; %c %c](%s%s)\n", local(a), random_labels[p], random_labels[a->rank - 1], a->name, random_word(&g->r, options));
    random_add(g, a->axes);
}

static void look_up(generator *g)
{
    char name[8];
    begin(g, name);
    if (random_below(&g->r, 2)) {
        put(g->w, "embed[b -> d](ids)\n");
        random_add(g, "ad")->masked = true;
        return;
    }
    put(g->w, "gather['i d, n -> n d'](table, ids)\n");
    random_add(g, "ad")->masked = true;
}

static void select_some(generator *g)
{
    const array *a = random_pick(g, 1, true);
    char axes[RANK + 1], name[8];
    if (!a)
        return;
    unsigned p = a->rank - 1;
    without(a, p, axes);
    if (random_below(&g->r, 2)) {
        begin(g, name);
        put(g->w, "argmax[%c](%s)\n", random_labels[p], a->name);
        random_add(g, axes)->integer = true;
        return;
    }
    if (random_size(a->axes[p]) < 2)
        return;
    put(g->w, "v%u, v%u = top_k[%c -> a](%s)\n", g->made, g->made + 1, random_labels[p], a->name);
    axes[p] = 'a';
    axes[p + 1] = 0;
    random_add(g, axes)->masked = true;
    random_add(g, axes)->integer = true;
}

static void store(generator *g)
{
    const array *a = random_pick(g, 1, false);
    char name[8];
    if (!a)
        return;
    bool groups = random_size(a->axes[a->rank - 1]) % 2 == 0;
    begin(g, name);
    if (groups && random_below(&g->r, 2)) {
        put(g->w, "dequantize(quantize[%c](%s, i8/g2))\n", random_labels[a->rank - 1], a->name);
        random_add(g, a->axes)->half = false;
        return;
    }
    put(g->w, "cast(%s, bf16)\n", a->name);
    random_add(g, a->axes)->half = true;
}

static void lose(generator *g)
{
    const array *a = NULL;
    char axes[RANK + 1], name[8];
    for (unsigned i = 0; i < g->count && !a; i++) /* logits with one row for each id */
        if (!g->arrays[i].integer && !g->arrays[i].half && strcmp(g->arrays[i].axes, "ab") == 0)
            a = &g->arrays[i];
    if (!a)
        return;
    without(a, 1, axes);
    begin(g, name);
    put(g->w, "cross_entropy[j](%s, ids)\n", a->name);
    random_add(g, axes)->masked = true;
}

void random_step(generator *g)
{
    static void (*const ops[])(generator *g) = { map_one,   map_two, contract, contract, broadcast, reduce,      normalize, normalize, mask, linear,
                                                 view,      join,    cut,      rotate,   look_up,   select_some, store,     lose };
    g->half = false;
    ops[random_below(&g->r, sizeof ops / sizeof *ops)](g);
}
