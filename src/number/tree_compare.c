#include "number/tree_compare.h"

#include <string.h>

#include "number/tree_normal.h"

typedef struct comparer {
    met_arena *arena;
    met_operands operands;
    uint64_t n;
    met_steps *steps;
    met_comparison result;
} comparer;

/* --- Fields --- */

static void take_levels(met_tree *to, const met_tree *from)
{
    to->level_count = from->level_count;
    to->written = from->written;
    memcpy(to->levels, from->levels, sizeof to->levels);
}

static void take_combine(met_tree *to, const met_tree *from)
{
    to->combine = from->combine;
}

static void take_tail(met_tree *to, const met_tree *from)
{
    to->tail_count = from->tail_count;
    memcpy(to->tails, from->tails, sizeof to->tails);
}

static void take_start(met_tree *to, const met_tree *from)
{
    to->start = from->start;
}

static void take_rounding(met_tree *to, const met_tree *from)
{
    to->precision = from->precision;
    to->store = from->store;
    to->combine_f64 = from->combine_f64;
    to->mode = from->mode;
}

static void take_flush(met_tree *to, const met_tree *from)
{
    to->flush = from->flush;
}

static void take_contraction(met_tree *to, const met_tree *from)
{
    to->contraction = from->contraction;
}

static void take_node(met_tree *to, const met_tree *from)
{
    to->node = from->node;
    to->unit = from->unit;
}

static const struct {
    met_tree_field field;
    void (*take)(met_tree *to, const met_tree *from);
} fields[] = {
    {MET_FIELD_LEVELS, take_levels},     {MET_FIELD_COMBINE, take_combine}, {MET_FIELD_TAIL, take_tail},
    {MET_FIELD_START, take_start},       {MET_FIELD_ROUNDING, take_rounding}, {MET_FIELD_FLUSH, take_flush},
    {MET_FIELD_CONTRACTION, take_contraction}, {MET_FIELD_MMA, take_node},
};

enum { FIELDS = sizeof fields / sizeof fields[0] };

static uint32_t form_of(comparer *c, const met_tree *tree)
{
    return met_steps_of(c->steps, tree);
}

/* Of one normal form: what it does with every term where lengths are written out, else what its words mean. */
static bool is_alike(comparer *c, const met_tree *a, const met_tree *b)
{
    if (c->steps) {
        return form_of(c, a) == form_of(c, b);
    }
    met_tree x = met_tree_normal(a, c->n, c->operands), y = met_tree_normal(b, c->n, c->operands);
    y.rescale = x.rescale;
    y.slice = x.slice;
    return met_tree_equal(&x, &y);
}

/* The first field that makes a difference on the way from a to b: each step has the fields of b up to one, and those of a after
 * it. Where only the whole way makes one, the first that differs. */
static met_tree_field first_field(comparer *c, const met_tree *a, const met_tree *b)
{
    met_tree before = *a, alike = *b;
    take_combine(&alike, a);
    if (!a->written && !b->written && is_alike(c, a, &alike)) {
        return MET_FIELD_COMBINE;
    }
    for (int i = 0; i < FIELDS; i++) {
        fields[i].take(&before, b);
        if (before.written && fields[i].field == MET_FIELD_LEVELS) { /* its rules come with it */
            take_combine(&before, b);
            take_tail(&before, b);
        }
        if (!is_alike(c, a, &before)) {
            return fields[i].field;
        }
    }
    return MET_FIELD_NONE;
}

/* --- Rescaling --- */

/* A single slice is no slicing. Neither is what comes after the first term, where products are not stored: 1·x is x. */
static uint64_t slice_of(const met_tree *tree, uint64_t n)
{
    return tree->rescale == MET_RESCALE_FLOAT && tree->slice < n ? tree->slice : n;
}

/* Slices of one and of two terms, of three at most, that no input told apart: the first term is b or w·b, and comes to w·b before the
 * second, whose base is the largest or not, in both. That is one rounding of one product where b itself, added to +0, is b; where it is
 * stored or flushed, or a rounded product is added to +0, the search has tried what may sink or round twice, and this is what it says. */
static bool is_one_slicing(uint64_t x, uint64_t y, uint64_t n)
{
    return n <= 3 && x <= 2 && y <= 2;
}

enum { RESCALED = 1 << 22 /* terms of streams that are run */ };

static void compare_rescale(comparer *c, const met_tree *a, const met_tree *b)
{
    met_comparison *result = &c->result;
    uint64_t x = slice_of(a, c->n), y = slice_of(b, c->n);
    result->verdict = MET_VERDICT_SAME;
    if (x != y) {
        result->has_run = c->n <= RESCALED && met_witness_find_rescaled(c->arena, a, b, c->n, &result->run);
        result->verdict = result->has_run ? MET_VERDICT_DIFFERENT : is_one_slicing(x, y, c->n) ? MET_VERDICT_SAME : MET_VERDICT_UNKNOWN;
        result->field = result->verdict == MET_VERDICT_SAME ? MET_FIELD_NONE : MET_FIELD_RESCALE;
    } else if (x == c->n) {
        bool powers[] = {a->rescale == MET_RESCALE_POW2, b->rescale == MET_RESCALE_POW2};
        result->unless_underflow = powers[0] != powers[1];
    }
}

/* --- Declared records --- */

static void find_leaves(comparer *c, const met_tree *a, const met_tree *b)
{
    const met_bracketing *of_a = met_bracketing_of(c->arena, a, c->n), *of_b = met_bracketing_of(c->arena, b, c->n);
    c->result.has_witness = met_bracketing_witness(c->arena, of_a, of_b, &c->result.witness);
}

/* What the records do where all terms are numbers of f32; if they flush, where nothing is to be flushed. */
static int only_below(comparer *c, const met_tree *a, const met_tree *b)
{
    bool flushes = a->flush || b->flush || a->node == MET_NODE_PAIRS || b->node == MET_NODE_PAIRS;
    int lowest = flushes ? MET_ONLY_NORMAL : MET_ONLY_RANGE;
    met_steps *steps = met_steps_new(c->arena, c->operands, c->n);
    met_steps_restrict(steps, lowest, 127);
    return met_steps_of(steps, a) == met_steps_of(steps, b) ? lowest : 0;
}

static void compare_forms(comparer *c, const met_tree *a, const met_tree *b)
{
    met_comparison *result = &c->result;
    met_witness_hint hint = {c->steps, {form_of(c, a), form_of(c, b)}, NULL};
    if (hint.forms[0] == hint.forms[1]) {
        compare_rescale(c, a, b);
        return;
    }
    find_leaves(c, a, b);
    hint.leaves = result->has_witness ? &result->witness : NULL;
    result->has_run = met_witness_find(c->arena, a, b, c->operands, c->n, &hint, &result->run);
    result->verdict = result->has_run ? MET_VERDICT_DIFFERENT : MET_VERDICT_UNKNOWN;
    result->field = first_field(c, a, b);
    result->only_below = result->has_run && !result->has_witness && slice_of(a, c->n) == slice_of(b, c->n) ? only_below(c, a, b) : 0;
}

static void compare_long(comparer *c, const met_tree *a, const met_tree *b)
{
    met_comparison *result = &c->result;
    if (is_alike(c, a, b)) {
        compare_rescale(c, a, b);
        return;
    }
    result->has_run = met_witness_find_long(c->arena, a, b, c->operands, c->n, &result->run);
    result->verdict = result->has_run ? MET_VERDICT_DIFFERENT : MET_VERDICT_UNKNOWN;
    result->field = first_field(c, a, b);
}

static void compare_declared(comparer *c, const met_tree *a, const met_tree *b)
{
    met_tree x = *a, y = *b;
    x.undeclared = y.undeclared = 0;
    for (int i = 0; i < MET_TREE_LEVELS; i++) {
        x.levels[i].place = y.levels[i].place = MET_PLACE_LANE; /* who holds a partial result changes no bits */
    }
    met_tree alike = y;
    alike.rescale = x.rescale;
    alike.slice = x.slice;
    if (met_tree_equal(&x, &alike)) {
        compare_rescale(c, &x, &y);
        return;
    }
    if (c->n > MET_BRACKETING_LEAVES) {
        compare_long(c, &x, &y);
        return;
    }
    if (!c->steps) {
        c->steps = met_steps_new(c->arena, c->operands, c->n);
    }
    compare_forms(c, &x, &y);
}

/* f64 numbers are rounded to f32 first where all arithmetic is. */
static met_operands operands_for(const met_tree *a, const met_tree *b, met_operands operands)
{
    if (operands.dtype == MET_F64 && a->precision == MET_F32 && b->precision == MET_F32) {
        operands.dtype = MET_F32;
    }
    return operands;
}

/* --- Undeclared fields --- */

enum { VARIANTS = 512 };

/* Everything that the record may be. False if that cannot be listed. */
static bool list_variants(const met_tree *tree, uint32_t *ret_count, met_tree *ret_variants)
{
    static const uint8_t stores[] = {MET_F64, MET_F32, MET_BF16, MET_F16};
    uint32_t listed = 1u << MET_FIELD_START | 1u << MET_FIELD_ROUNDING | 1u << MET_FIELD_FLUSH | 1u << MET_FIELD_CONTRACTION, open = tree->undeclared;
    int starts = open >> MET_FIELD_START & 1 ? 2 : 1, fusings = open >> MET_FIELD_CONTRACTION & 1 ? 2 : 1;
    int flushes = open >> MET_FIELD_FLUSH & 1 ? 4 : 1, roundings = open >> MET_FIELD_ROUNDING & 1 ? 64 : 1;
    *ret_count = 0;
    for (int k = 0; k < starts * fusings * flushes * roundings; k++) {
        met_tree *variant = &ret_variants[*ret_count];
        int rest = k / (starts * fusings), rounding = rest / flushes;
        *variant = *tree;
        variant->undeclared = 0;
        variant->start = (uint8_t)(starts > 1 ? k % 2 : tree->start);
        variant->contraction = (uint8_t)(fusings > 1 ? k / starts % 2 : tree->contraction);
        variant->flush = (uint8_t)(flushes > 1 ? rest % flushes : tree->flush);
        if (roundings > 1) {
            variant->precision = rounding & 16 ? MET_F64 : MET_F32;
            variant->store = stores[rounding >> 2 & 3];
            variant->mode = (uint8_t)(rounding & 3);
            variant->combine_f64 = rounding >> 5;
        }
        *ret_count += met_tree_valid(variant);
    }
    bool unsaid = tree->combine_f64 && flushes > 1; /* what would be flushed on the way to f64 and back */
    return (open & ~listed) == 0 && *ret_count > 0 && !unsaid;
}

static met_tree_field first_undeclared(uint32_t fields_of)
{
    for (int i = MET_FIELD_NONE + 1; i < MET_TREE_FIELDS; i++) {
        if (fields_of >> i & 1) {
            return (met_tree_field)i;
        }
    }
    return MET_FIELD_NONE;
}

/* The input of the result tells each of a's variants from each of b's. */
static bool tells_all(comparer *c, uint32_t of_a, const met_tree *a, uint32_t of_b, const met_tree *b)
{
    const met_witness_run *run = &c->result.run;
    double *results = MET_NEW_ARRAY(c->arena, double, of_a);
    for (uint32_t i = 0; i < of_a; i++) {
        results[i] = met_witness_again(c->arena, &a[i], c->operands, c->n, run);
    }
    for (uint32_t k = 0; k < of_b; k++) {
        double other = met_witness_again(c->arena, &b[k], c->operands, c->n, run);
        for (uint32_t i = 0; i < of_a; i++) {
            if (met_bits_f64(results[i]) == met_bits_f64(other)) {
                return false;
            }
        }
    }
    return true;
}

/* SAME if all that a may be and all that b may be have one form; DIFFERENT if one input tells all of them apart. */
static void compare_variants(comparer *c, const met_tree *a, const met_tree *b)
{
    met_tree *x = MET_NEW_ARRAY(c->arena, met_tree, VARIANTS), *y = MET_NEW_ARRAY(c->arena, met_tree, VARIANTS);
    uint32_t of_a, of_b;
    met_tree_field open = first_undeclared(a->undeclared | b->undeclared);
    bool listed = list_variants(a, &of_a, x) && list_variants(b, &of_b, y), same = listed;
    for (uint32_t i = 0; same && i < of_a; i++) {
        for (uint32_t k = 0; same && k < of_b; k++) {
            c->result = (met_comparison){0};
            compare_declared(c, &x[i], &y[k]);
            same = c->result.verdict == MET_VERDICT_SAME;
        }
    }
    if (same || (listed && c->steps && c->result.has_run && c->result.field != MET_FIELD_RESCALE && tells_all(c, of_a, x, of_b, y))) {
        return;
    }
    c->result = (met_comparison){.verdict = MET_VERDICT_UNKNOWN, .field = open, .undeclared = true};
}

/* Sums over different indices are of different terms. Where one of them is open, nothing is known of them but a difference
 * in what they do with the same terms. */
static bool compare_axes(comparer *c, const met_tree *a, const met_tree *b)
{
    bool open = (a->undeclared | b->undeclared) >> MET_FIELD_AXIS & 1;
    if (open) {
        c->result = (met_comparison){.verdict = MET_VERDICT_UNKNOWN, .field = MET_FIELD_AXIS, .undeclared = true};
    } else if (*a->axis && *b->axis && strcmp(a->axis, b->axis) != 0) {
        c->result = (met_comparison){.verdict = MET_VERDICT_DIFFERENT, .field = MET_FIELD_AXIS};
    }
    return c->result.verdict == MET_VERDICT_SAME;
}

met_comparison met_tree_compare_operands(met_arena *arena, const met_tree *a, const met_tree *b, uint64_t n,
                                         met_operands operands)
{
    comparer c = {.arena = arena, .operands = operands, .n = n};
    bool open = a->undeclared || b->undeclared;
    if (!met_tree_fits(a, n) || !met_tree_fits(b, n)) {
        return (met_comparison){.verdict = MET_VERDICT_DIFFERENT, .field = MET_FIELD_LEVELS};
    }
    if (n > 0 && !compare_axes(&c, a, b)) {
        return c.result;
    }
    if (n > 0 && open) {
        compare_variants(&c, a, b);
    } else if (n > 0) {
        c.operands = operands_for(a, b, operands);
        compare_declared(&c, a, b);
    }
    return c.result;
}

met_comparison met_tree_compare(met_arena *arena, const met_tree *a, const met_tree *b, uint64_t n)
{
    return met_tree_compare_operands(arena, a, b, n, (met_operands){.dtype = MET_F32});
}

met_comparison met_tree_compare_units(met_arena *arena, const met_tree *a, const met_tree *b, uint64_t n, met_operands operands)
{
    met_comparison result = met_tree_compare_operands(arena, a, b, n, operands);
    met_matrix_unit alike = b->unit;
    alike.width = n <= a->unit.width && n <= b->unit.width ? a->unit.width : alike.width; /* one node in both */
    if (result.verdict == MET_VERDICT_SAME && !met_matrix_unit_equal(&a->unit, &alike)) {
        result.field = MET_FIELD_MMA;
        result.has_run = n <= MET_BRACKETING_LEAVES && met_witness_find_c(arena, a, b, operands, n, &result.run);
        result.verdict = result.has_run ? MET_VERDICT_DIFFERENT : MET_VERDICT_UNKNOWN;
    }
    result.run.with_c = result.has_run;
    return result;
}
