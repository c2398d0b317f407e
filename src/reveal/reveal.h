/* Revealing: the tree of a sum or a dot product that is known only by what it answers. Masked inputs say which terms meet
 * before which (reveal_count.c, reveal_triple.c, reveal_square.c), further ones what the additions do (reveal_trait.c). Owns
 * the inputs and what follows from the answers; must not know who answers: a kernel of ours, a routine of a library, a
 * program, a record.
 *
 * The result is a record (number/tree.h): its shape written out for the length at hand, its traits, and in `undeclared`
 * what the answers leave open. A subject with a c has n + 1 leaves: c is the last one, the product c·1. Where no tree explains
 * the answers, that is said instead. What is called a tree has been run on inputs of many kinds beside the subject and gave
 * its bits. */
#ifndef MET_REVEAL_REVEAL_H
#define MET_REVEAL_REVEAL_H

#include "number/bracketing.h"
#include "number/operands.h"

/* What one call computes. DOT: c + Σ a·b. SUM: c + Σ a. SQUARES: a function that grows with Σ a², which nothing can be
 * subtracted from. EXPONENTIALS: likewise of Σ e^a. */
typedef enum met_probe_kind { MET_PROBE_SUM, MET_PROBE_DOT, MET_PROBE_SQUARES, MET_PROBE_EXPONENTIALS } met_probe_kind;

typedef struct met_black_box {
    met_probe_kind kind;
    uint64_t n;
    met_dtype input;      /* that every a and b is rounded to already when the subject is called */
    met_dtype output;
    bool accumulates;     /* there is a c; else it is not read */
    bool scaled;          /* the answer is the sum times something: only zero, and the sign, can be read off */
    /* False: it could not answer; it has said why. `b` is NULL unless DOT. Deterministic unless the subject is not. */
    bool (*run)(void *context, const double *a, const double *b, double c, double *ret_result);
    void *context;
} met_black_box;

typedef enum met_reveal_method { MET_REVEAL_AUTO, MET_REVEAL_COUNT, MET_REVEAL_TRIPLES, MET_REVEAL_SQUARES } met_reveal_method;

typedef enum met_reveal_verdict {
    MET_REVEAL_TREE,
    MET_REVEAL_NOT_A_TREE,   /* `why`: counts that are no integers, answers that no tree gives, dependence on the data */
    MET_REVEAL_UNSTABLE,     /* the same input gave two answers */
    MET_REVEAL_FAILED        /* the subject did not answer */
} met_reveal_verdict;

typedef struct met_revealed {
    met_reveal_verdict verdict;
    met_reveal_method method; /* that was used */
    met_tree tree;            /* written, or, where results of f32 meet in f64, with levels */
    const met_bracketing *shape; /* of TREE: the bracketing */
    met_operands operands;    /* of the probe: what records of it are compared on */
    const char *why;          /* a phrase; NULL for TREE */
    uint64_t calls;
} met_revealed;

/* `seed` is of the pivots: the tree does not depend on it, the number of calls does. The result belongs to the arena. */
met_revealed met_reveal(met_arena *arena, const met_black_box *probe, met_reveal_method method, uint64_t seed);

/* A record without `written` that gives the bits of every one of the trees (met_tree_compare says so, but for what is undeclared
 * in both; where a tree's start is, products that underflow and the sign of a zero do not count): the rule that the subject seems
 * to follow. False if none of the shapes that schedules have fits. */
bool met_reveal_rule(met_arena *arena, size_t count, const met_revealed *const *revealed, met_tree *ret_rule);
/* Whether the rule gives this tree too, with what else the records say. */
bool met_reveal_follows(met_arena *arena, const met_tree *rule, const met_revealed *revealed);
/* TREE if the subject has the rule's bits on inputs of many kinds, which are some dozens of calls; else NOT_A_TREE or FAILED. Of sums and
 * dot products that are not scaled. */
met_reveal_verdict met_reveal_try(met_arena *arena, const met_black_box *probe, const met_tree *rule);

#endif
