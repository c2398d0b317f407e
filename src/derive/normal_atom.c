/* Atoms: one for each content, with what is known of it. */
#include <math.h>
#include <string.h>

#include "derive/normal.h"

static uint32_t mixed_in(uint32_t hash, uint32_t word)
{
    return (hash ^ word) * 16777619u; /* FNV-1a, a word at a time */
}

static uint32_t hash_of_sum(uint32_t hash, const met_sum *sum)
{
    for (uint32_t i = 0; sum && i < sum->count; i++) {
        hash = mixed_in(hash, sum->terms[i].count);
        for (uint32_t k = 0; k < sum->terms[i].count; k++)
            hash = mixed_in(hash, sum->terms[i].powers[k].atom);
    }
    return hash;
}

static uint32_t hash_of(const met_atom *atom)
{
    uint32_t hash = mixed_in(mixed_in(2166136261u, atom->kind), atom->fn);
    if (atom->leaf)
        hash = mixed_in(mixed_in(mixed_in(hash, atom->leaf->kind), atom->leaf->input), atom->leaf->index);
    for (int i = 0; i < 3; i++)
        hash = hash_of_sum(hash, atom->arguments[i]);
    return hash;
}

static bool same(const met_atom *a, const met_atom *b)
{
    if (a->hash != b->hash || a->kind != b->kind || a->fn != b->fn)
        return false;
    if (a->kind == MET_ATOM_LEAF)
        return met_scalar_equal(a->leaf, b->leaf);
    for (int i = 0; i < 3; i++)
        if (!met_sum_equal(a->arguments[i], b->arguments[i]))
            return false;
    return true;
}

static met_traits leaf_traits(const met_algebra *algebra, const met_scalar *leaf)
{
    switch (leaf->kind) {
    case MET_SCALAR_INPUT:
        return algebra->inputs[leaf->input];
    case MET_SCALAR_INDEX: {
        met_loops loop = algebra->index_loops ? algebra->index_loops[leaf->index] : (met_loops)1 << leaf->index;
        return (met_traits){ .loops = loop, .positive = true, .weights = true };
    }
    case MET_SCALAR_SIZE:
        return (met_traits){ .positive = true, .weights = true };
    case MET_SCALAR_NUMBER:
        return (met_traits){ .positive = leaf->number > 0, .weights = true };
    case MET_SCALAR_CALL:
        break;
    }
    return (met_traits){ 0 };
}

/* Whether a call is never negative, given that it is defined. */
static bool is_positive_call(const met_algebra *algebra, const met_atom *atom)
{
    bool of[3] = { false, false, false };
    for (int i = 0; i < 3; i++)
        if (atom->arguments[i])
            of[i] = met_sum_traits(algebra, atom->arguments[i]).positive || atom->arguments[i]->count == 0;
    switch (atom->fn) {
    case MET_FN_abs: case MET_FN_exp: case MET_FN_exp2: case MET_FN_exp2p: case MET_FN_sqrt: case MET_FN_rsqrt:
    case MET_FN_sigmoid: case MET_FN_lt: case MET_FN_le: case MET_FN_gt: case MET_FN_ge: case MET_FN_eq: case MET_FN_ne:
    case MET_FN_and: case MET_FN_or: case MET_FN_not:
        return true;
    case MET_FN_max:
        return of[0] || of[1];
    case MET_FN_min:
        return of[0] && of[1];
    case MET_FN_select:
        return of[1] && of[2];
    case MET_FN_tanh: case MET_FN_erf: case MET_FN_floor: case MET_FN_rint: case MET_FN_pow:
        return of[0];
    default:
        return false;
    }
}

static met_traits traits_of(const met_algebra *algebra, const met_atom *atom)
{
    if (atom->kind == MET_ATOM_LEAF)
        return leaf_traits(algebra, atom->leaf);
    met_traits traits = { .weights = true };
    for (int i = 0; i < 3; i++) {
        if (!atom->arguments[i])
            continue;
        met_traits of = met_sum_traits(algebra, atom->arguments[i]);
        traits.loops |= of.loops;
        traits.statistic = traits.statistic || of.statistic;
        traits.weights = traits.weights && of.weights;
    }
    traits.positive = atom->kind == MET_ATOM_EXP ||
                      (atom->kind == MET_ATOM_SUM && met_sum_traits(algebra, atom->arguments[0]).positive) ||
                      (atom->kind == MET_ATOM_CALL && is_positive_call(algebra, atom));
    return traits;
}

uint32_t met_atom_of(met_algebra *algebra, const met_atom *content)
{
    met_atom made = *content;
    made.hash = hash_of(content);
    for (uint32_t i = 0; i < algebra->atoms.count; i++)
        if (same(algebra->atoms.at[i], &made))
            return i;
    if (algebra->atoms.count == MET_ALGEBRA_ATOMS) {
        met_algebra_refuse(algebra, NULL, "the expression has more than %d different parts", MET_ALGEBRA_ATOMS);
        return MET_NONE;
    }
    made.traits = traits_of(algebra, &made);
    MET_PUSH(algebra->arena, &algebra->atoms, met_arena_copy(algebra->arena, &made, 1, sizeof made));
    return (uint32_t)algebra->atoms.count - 1;
}

const met_sum *met_sum_closed(met_algebra *algebra, const met_sum *a)
{
    if (!a || a->count < 2 || met_traits_mix(algebra, met_sum_traits(algebra, a)))
        return a;
    bool negative = a->terms[0].coefficient < 0;
    met_atom atom = { .kind = MET_ATOM_SUM };
    atom.arguments[0] = negative ? met_sum_scale(algebra, a, -1) : a;
    if (!atom.arguments[0])
        return NULL;
    const met_sum *closed = met_sum_of_atom(algebra, met_atom_of(algebra, &atom), 1);
    return closed && negative ? met_sum_scale(algebra, closed, -1) : closed;
}

/* What an atom of power 1 opens to; NULL if it stays. */
static const met_sum *inside(const met_algebra *algebra, met_power power, bool statistics)
{
    const met_atom *atom = algebra->atoms.at[power.atom];
    if (power.exponent != 1 || (statistics && !atom->traits.statistic))
        return NULL;
    return atom->kind == MET_ATOM_SUM ? atom->arguments[0] : atom->definition;
}

const met_sum *met_sum_opened(met_algebra *algebra, const met_sum *a, bool statistics)
{
    const met_sum *opened = met_sum_number(algebra, 0);
    for (uint32_t i = 0; a && opened && i < a->count; i++) {
        const met_product *term = &a->terms[i];
        const met_sum *product = met_sum_number(algebra, term->coefficient);
        for (uint32_t k = 0; product && k < term->count; k++) {
            const met_sum *inner = inside(algebra, term->powers[k], statistics);
            const met_sum *factor = inner ? met_sum_opened(algebra, inner, statistics) :
                                            met_sum_of_atom(algebra, term->powers[k].atom, term->powers[k].exponent);
            product = met_sum_mul(algebra, product, factor);
        }
        opened = met_sum_add(algebra, opened, product);
    }
    return a ? opened : NULL;
}
