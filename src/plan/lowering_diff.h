/* Two lowerings of one circuit beside each other: where they cut it alike, and where not, with what that costs. */
#ifndef MET_PLAN_LOWERING_DIFF_H
#define MET_PLAN_LOWERING_DIFF_H

#include "plan/lowering.h"

/* A smallest set of nodes that both cover with whole groups, where they do so differently: with other groups or other kernels. */
typedef struct met_lowering_change {
    uint32_t count;      /* how often it comes, in layers that are alike */
    const char *ops;     /* the first time, in the order of the circuit: "rmsnorm, linear, linear" */
    const char *a, *b;   /* kernels in order, "norm + linear + linear"; groups without one are placeholders */
    double a_seconds, b_seconds; /* each time; 0 where there are no prices */
} met_lowering_change;

typedef struct met_lowering_diff {
    uint32_t same; /* groups that both have, with the same kernels … */
    double same_a_seconds, same_b_seconds; /* … and what these take in all, which differs from device to device */
    uint32_t change_count;
    const met_lowering_change *changes; /* by first appearance */
} met_lowering_diff;

/* The circuits must have the same nodes. In the arena of a's circuit. */
const met_lowering_diff *met_lowering_compare(const met_lowering *a, const met_lowering *b);

#endif
