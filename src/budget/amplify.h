/* Amplification by perturbation: how far the result of a group of nodes moves, relative to its root mean square, for a
 * relative change of what it reads, measured in the reals. An estimate, never a bound: of the directions that were tried.
 *
 * Directions: random signs, Gaussian, and the leading singular vector, by power iteration on the Jacobian where it is small
 * enough to have, else within the span of the others. Each is tried at three sizes; a direction whose ratio changes by more
 * than 20 % between them is rejected: there the group is not linear at that size. */
#ifndef MET_BUDGET_AMPLIFY_H
#define MET_BUDGET_AMPLIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "eval/run.h"

#define MET_AMPLIFY_DIRECTIONS 17 /* 8 of signs, 8 Gaussian, the singular vector */
#define MET_AMPLIFY_JACOBIAN 256  /* elements up to which the Jacobian is worked out */

typedef struct met_amplification {
    uint32_t directions; /* tried; 0: nothing could be measured (a read or a result that is 0, or not finite) */
    uint32_t rejected;
    double max, q99, median, spread; /* of the ratios that were kept; spread: distance of the quartiles over the median */
    double singular;     /* ratio along the singular vector; 0 if it was rejected */
    bool stored;         /* comes from the evidence store */
} met_amplification;

/* What a measurement is of: digests of the group's shape and of all that it reads, and which read and result. */
typedef struct met_amplify_key {
    const char *computes, *data; /* 64 hexadecimal digits each */
    const char *ops;             /* for people */
    uint32_t read, result;
    uint64_t seed;
} met_amplify_key;

typedef struct met_amplify_group {
    met_run *run;          /* in the reals; its nodes up to `end` have run */
    uint32_t begin, end;   /* the group's nodes */
    uint32_t read;         /* edge that is perturbed */
    uint32_t result_count;
    const uint32_t *results; /* edges */
    uint64_t seed;
} met_amplify_group;

/* By result. Leaves the run's arrays as they were. False with diagnostics. */
bool met_amplify(const met_amplify_group *group, met_amplification *ret_found);

#endif
