/* The search for witnesses: witness.c runs records on tries, witness_terms.c puts terms, witness_tries.c fills inputs with them. */
#ifndef MET_NUMBER_WITNESS_PARTS_H
#define MET_NUMBER_WITNESS_PARTS_H

#include <math.h>

#include "number/fold.h"
#include "number/fold_few.h"
#include "number/mix.h"
#include "number/witness.h"

enum { MET_SEARCH_WIDTHS = 10 };

typedef struct met_search {
    met_arena *arena;
    met_operands operands;
    uint64_t n, random;
    met_fold *folds[2];
    const met_bracketing *shapes[2]; /* NULL where a tree is too large */
    uint32_t *parents[2];
    met_steps *steps;                /* where the forms differ, or NULL */
    uint32_t forms[2];
    int widths[MET_SEARCH_WIDTHS];   /* bits that the records round and cut to, with repetitions */
    int width_count;
    int bits, least, greatest; /* significand, and exponents of normal numbers of the format */
    double *a, *b;
    const uint64_t *at;        /* places of the n terms among more, all others of which are absent; NULL: those from 0 on */
    met_fold_few *few[2];      /* … and what folds them; else NULL */
} met_search;

/* --- witness.c --- */

met_search met_search_new(met_arena *arena, const met_tree *x, const met_tree *y, met_operands operands, uint64_t n);
/* Runs the records: whether they differ. */
bool met_search_differs(met_search *s, met_witness_run *ret_run);
/* Something that swallows the third, its negative, and the third: in sizes that the formats have. */
bool met_search_try_shape(met_search *s, const met_witness *leaves, met_witness_run *ret_run);
/* Leaves out what the difference does not need. */
void met_search_reduce(met_search *s, met_witness_run *run);
bool met_search_same_bits(double x, double y);

static inline uint64_t met_search_next(met_search *s)
{
    return met_mix_next(&s->random);
}

static inline uint64_t met_search_below(met_search *s, uint64_t n)
{
    return (met_search_next(s) >> 11) % n;
}

static inline int met_search_between(met_search *s, int low, int high)
{
    return low + (int)met_search_below(s, (uint64_t)(high - low) + 1);
}

/* The exponent of the lowest bit of any term, or of the highest. */
int met_search_limit(const met_search *s, bool high);

/* --- witness_terms.c: each puts one term, of about 2^exponent --- */

void met_search_put_term(met_search *s, uint32_t leaf, int exponent);
/* A product that is a number of few bits, such as the middle between two, or as near to one as some tries find. */
void met_search_put_near(met_search *s, uint32_t leaf, int exponent);
/* The negative of another term, nearly. */
void met_search_put_opposite(met_search *s, uint32_t leaf, uint32_t of);
/* A power of two. */
void met_search_put_value(met_search *s, uint32_t leaf, double sign, int exponent);
/* ±whole · 2^exponent exactly. False if no two numbers of the format are found that give it. */
bool met_search_put_whole(met_search *s, uint32_t leaf, double sign, uint64_t whole, int exponent);
/* Zeros, all of one sign. */
void met_search_fill(met_search *s, double zero);
/* A term of the format's largest size, or of its least: count times it. */
void met_search_put_largest(met_search *s, uint32_t leaf, double sign);
void met_search_put_least(met_search *s, uint32_t leaf, double sign, int count);

/* --- witness_tries.c --- */

/* Two terms by which a node that keeps few bits tells a product from a partial result. False if nothing is known of such. */
bool met_search_try_pair(met_search *s);
/* The input of one try of many, whose number decides some of it. */
void met_search_try(met_search *s, uint64_t number);
/* One of those that follow: what tells few records apart. */
void met_search_try_rare(met_search *s);

#endif
