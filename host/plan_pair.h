/* The plans of two ways beside each other: met circuit diff, for planners of whole ops. */
#ifndef MET_HOST_PLAN_PAIR_H
#define MET_HOST_PLAN_PAIR_H

#include "host/subject.h"

typedef struct met_plan_side {
    const char *name;   /* "greedy@cpu-avx2" */
    const char *device; /* whose prices these are; NULL: there are none */
    const char *digest;
    uint32_t groups;
    double seconds, bytes;
    bool runs;          /* its kernels can run on this machine … */
    bool emulated;      /* … or are emulated */
} met_plan_side;

/* What both cover with whole groups, but not alike. */
typedef struct met_plan_change {
    uint32_t count;              /* times, in layers that are alike */
    const char *ops, *a, *b;     /* what is covered; kernels */
    double a_seconds, b_seconds; /* each time */
} met_plan_change;

typedef struct met_plan_pair {
    met_plan_side a, b;
    uint32_t same;               /* groups that both have … */
    double same_a_seconds, same_b_seconds; /* … and what they take in all, if there are devices */
    uint32_t change_count;
    const met_plan_change *changes;
} met_plan_pair;

/* Whether a way's planner is one of whole ops: greedy or exact. Its hardware may then be a class or a device that has no
 * kernels here. */
bool met_way_lowers(const met_way *way);
/* Whether this machine can run the kernels of such a way, or only plan them. False with diagnostics: no such hardware. */
bool met_way_runs(met_session *session, const met_way *way, bool *ret_runs);

/* Both ways must be such. NULL with diagnostics. */
const met_plan_pair *met_subject_plans(const met_subject *subject, const met_way *a, const met_way *b);

#endif
