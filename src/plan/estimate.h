/* What a kernel is worth to the planner: traffic at one level by the rules of docs/cost.md, work with what tiles compute
 * again, and a time made of both. Tiles are found by doubling, so this is an estimate; the exact optimum is the cost
 * module's. It only compares ways to cut one circuit, so its constants are few and plain. */
#ifndef MET_PLAN_ESTIMATE_H
#define MET_PLAN_ESTIMATE_H

#include "derive/derivation.h"

typedef struct met_estimate {
    bool fits;     /* the smallest tiles stay within the capacity */
    double bytes;  /* moved, every external array counted as often as tiles read it */
    double work;   /* flops, functions weighted */
    double units;  /* that can run at the same time */
    double time;   /* in bytes that the machine could move instead */
} met_estimate;

/* Sizes must be known. `scratch` holds working memory. */
met_estimate met_estimate_kernel(const met_derivation *derivation, met_arena *scratch, const met_kernel *kernel,
                                 uint64_t capacity_bytes);

#endif
