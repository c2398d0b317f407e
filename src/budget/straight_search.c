#include "budget/straight_search.h"

#include <math.h>
#include <string.h>

typedef struct box {
    double bound;
    uint64_t number; /* of equal bounds the older box comes first */
    met_interval result;
    met_interval *sides;
} box;

typedef struct search {
    met_arena *arena;
    const met_straight_program *program;
    const met_straight_model *model;
    met_straight_quantity quantity;
    size_t dims;
    met_straight_values *values;
    met_interval *trial;
    MET_VEC(box) heap; /* the largest bound first */
    MET_VEC(met_interval *) spare;
    met_straight_found found;
} search;

static bool above(const box *a, const box *b)
{
    return a->bound != b->bound ? a->bound > b->bound : a->number < b->number;
}

static void push(search *s, box b)
{
    MET_PUSH(s->arena, &s->heap, b);
    size_t i = s->heap.count - 1;
    for (; i > 0 && above(&b, &s->heap.at[(i - 1) / 2]); i = (i - 1) / 2)
        s->heap.at[i] = s->heap.at[(i - 1) / 2];
    s->heap.at[i] = b;
}

static box pop(search *s)
{
    box top = s->heap.at[0], last = s->heap.at[--s->heap.count];
    size_t i = 0, child;
    for (; (child = 2 * i + 1) < s->heap.count; i = child) {
        if (child + 1 < s->heap.count && above(&s->heap.at[child + 1], &s->heap.at[child]))
            child++;
        if (!above(&s->heap.at[child], &last))
            break;
        s->heap.at[i] = s->heap.at[child];
    }
    if (s->heap.count > 0)
        s->heap.at[i] = last;
    return top;
}

static met_straight_bounds eval(search *s, const met_interval *sides)
{
    s->found.boxes++;
    return met_straight_eval(s->program, s->model, sides, s->values);
}

static double quantity_of(const search *s, const met_straight_bounds *bounds)
{
    return bounds->empty ? -1 : s->quantity == MET_STRAIGHT_ABSOLUTE ? bounds->absolute : bounds->relative;
}

/* Looks at a point of a box, for what the derivation has at a point is below every bound: its middle or, where it touches an
 * end of the range, that end. */
static void look_at_point(search *s, const met_interval *range, const met_interval *sides, bool ends)
{
    for (size_t i = 0; i < s->dims; i++) {
        double x = sides[i].lo + (sides[i].hi - sides[i].lo) / 2;
        if (ends && sides[i].hi == range[i].hi)
            x = sides[i].hi;
        else if (ends && sides[i].lo == range[i].lo)
            x = sides[i].lo;
        s->trial[i] = met_interval_point(x);
    }
    met_straight_bounds bounds = eval(s, s->trial);
    double quantity = quantity_of(s, &bounds);
    if (bounds.certain && !bounds.empty && bounds.defined && isfinite(quantity))
        s->found.reached = fmax(s->found.reached, quantity);
}

/* Ranges over many binades, as of a divisor near 0, are halved by their binades: halves of equal width would reach the small end
 * last. */
static const double many_binades = 256;

static bool by_binades(met_interval side)
{
    return side.lo > 0 ? side.hi / side.lo > many_binades : side.hi < 0 && side.lo / side.hi > many_binades;
}

static double middle_of(met_interval side)
{
    if (by_binades(side))
        return copysign(sqrt(fabs(side.lo)) * sqrt(fabs(side.hi)), side.lo);
    return side.lo + (side.hi - side.lo) / 2;
}

/* The halves of `sides` along one side: half 0 or 1 into s->trial. */
static void halve(search *s, const met_interval *sides, size_t side, int half)
{
    memcpy(s->trial, sides, s->dims * sizeof *sides);
    double middle = middle_of(sides[side]);
    s->trial[side] = half ? (met_interval){ middle, sides[side].hi } : (met_interval){ sides[side].lo, middle };
}

static bool may_halve(met_interval side)
{
    double middle = middle_of(side);
    return side.lo < middle && middle < side.hi;
}

/* A side that is narrower than the widest one by more than this is not halved: halves of a wide side need not be better (of
 * y² at 0) though theirs will be. */
static const double slender = 0x1p-4;

/* About log2 of |x|, linear within a binade: no library's logarithm has a say in which boxes are looked at. */
static double binade_of(double x)
{
    int exponent;
    double part = frexp(fabs(x), &exponent);
    return exponent + 2 * part;
}

static double share_of(met_interval side, met_interval range)
{
    if (by_binades(range))
        return (binade_of(side.hi) - binade_of(side.lo)) / (binade_of(range.hi) - binade_of(range.lo));
    return side.hi > side.lo ? (side.hi - side.lo) / (range.hi - range.lo) : 0;
}

/* The side whose halves have the least bounds, the wider one if none has any; `dims` if no side can be halved. Every side is
 * tried: that is dearer than a guess, and leaves arguments alone that do not matter. */
static size_t choose_side(search *s, const met_interval *range, const met_interval *sides)
{
    size_t best = s->dims;
    double least = INFINITY, least_sum = INFINITY, widest = 0, most = 0;
    for (size_t i = 0; i < s->dims; i++)
        most = fmax(most, may_halve(sides[i]) ? share_of(sides[i], range[i]) : 0);
    for (size_t i = 0; i < s->dims; i++) {
        double bounds[2], width = share_of(sides[i], range[i]);
        if (!may_halve(sides[i]) || width < slender * most)
            continue;
        for (int half = 0; half < 2; half++) {
            halve(s, sides, i, half);
            met_straight_bounds b = eval(s, s->trial);
            bounds[half] = quantity_of(s, &b);
        }
        double larger = fmax(bounds[0], bounds[1]), sum = bounds[0] + bounds[1];
        if (best < s->dims && (larger > least || (larger == least && (sum > least_sum || (sum == least_sum && width <= widest)))))
            continue;
        best = i;
        least = larger;
        least_sum = sum;
        widest = width;
    }
    return best;
}

/* Puts a box among the others, unless it is empty. `limit` is the bound of the box that it is a part of. */
static void add(search *s, const met_interval *sides, double limit)
{
    met_straight_bounds bounds = eval(s, sides);
    if (bounds.empty)
        return;
    met_interval *kept = s->spare.count ? s->spare.at[--s->spare.count] : MET_NEW_ARRAY(s->arena, met_interval, s->dims + 1);
    memcpy(kept, sides, s->dims * sizeof *sides);
    push(s, (box){ fmin(limit, quantity_of(s, &bounds)), s->found.boxes, bounds.result, kept });
}

size_t met_straight_unbounded(const met_straight_program *program, const met_straight_values *values)
{
    size_t i = 0;
    while (i < program->result && isfinite(values[i].error))
        i++;
    return i;
}

/* Of the boxes without a bound, the one that shows best why: where a divisor comes nearest to 0. */
static const met_interval *plainest(search *s)
{
    const met_interval *found = s->heap.at[0].sides;
    double least = INFINITY;
    for (size_t i = 0; i < s->heap.count && isinf(s->heap.at[0].bound); i++) {
        if (isfinite(s->heap.at[i].bound))
            continue;
        met_straight_eval(s->program, s->model, s->heap.at[i].sides, s->values);
        const met_straight_node *node = &s->program->nodes.at[met_straight_unbounded(s->program, s->values)];
        double divisor = node->code == MET_STRAIGHT_DIV ? met_interval_mignitude(s->values[node->args[1]].near) : INFINITY;
        found = divisor < least ? s->heap.at[i].sides : found;
        least = fmin(least, divisor);
    }
    return found;
}

/* Sets what the boxes that are left say. */
static void conclude(search *s)
{
    met_straight_found *found = &s->found;
    found->empty = s->heap.count == 0;
    found->defined = true;
    if (found->empty)
        return;
    found->bound = s->heap.at[0].bound;
    found->result = s->heap.at[0].result;
    for (size_t i = 0; i < s->heap.count; i++)
        found->result = met_interval_hull(found->result, s->heap.at[i].result);
    found->worst = plainest(s);
    met_straight_eval(s->program, s->model, found->worst, s->values);
    found->values = s->values;
}

met_straight_found met_straight_search(met_arena *arena, const met_straight_program *program, const met_straight_model *model,
                                       const met_interval *range, met_straight_quantity quantity, uint64_t work)
{
    search s = { .arena = arena, .program = program, .model = model, .quantity = quantity, .dims = program->arg_count };
    s.values = MET_NEW_ARRAY(arena, met_straight_values, program->nodes.count);
    s.trial = MET_NEW_ARRAY(arena, met_interval, s.dims + 1);
    bool defined = met_straight_eval(program, model, range, s.values).defined;
    add(&s, range, INFINITY);
    while (s.heap.count > 0 && s.found.boxes * program->nodes.count < work) {
        box top = s.heap.at[0];
        look_at_point(&s, range, top.sides, false);
        look_at_point(&s, range, top.sides, true);
        if (top.bound <= s.found.reached * (1 + MET_STRAIGHT_NEAR))
            break;
        size_t side = choose_side(&s, range, top.sides);
        if (side == s.dims)
            break;
        top = pop(&s);
        for (int half = 0; half < 2; half++) {
            halve(&s, top.sides, side, half);
            add(&s, s.trial, top.bound);
        }
        MET_PUSH(arena, &s.spare, top.sides);
    }
    conclude(&s);
    s.found.defined = defined;
    return s.found;
}
