/* Groups of nodes while a planner puts them together: which node is where, what lies between two groups, and the order in
 * which groups can run. */
#ifndef MET_PLAN_GROUPING_H
#define MET_PLAN_GROUPING_H

#include "base/vec.h"
#include "plan/estimate.h"

typedef struct met_group {
    uint32_t count;           /* 0: it has become part of another */
    const met_node_id *nodes; /* ascending */
    met_estimate worth;       /* as one kernel; filled in by the planner … */
    bool accepted;            /* … and whether the realization can make it */
    uint32_t merge;           /* number of the merge that made it; MET_NONE for a single node */
} met_group;

typedef struct met_merge {
    uint32_t part_count;
    const met_group *parts;
} met_merge;

typedef struct met_grouping {
    const met_derivation *facts;
    met_arena *arena;   /* of the planning */
    uint32_t *group_of; /* by node */
    met_group *groups;  /* by their first node */
    bool *ahead, *behind; /* by group, while a closure is found */
    MET_VEC(met_merge) merges;
} met_grouping;

/* Numbers of groups. */
typedef struct met_group_list {
    MET_VEC(uint32_t) at;
} met_group_list;

/* Every node by itself. */
met_grouping met_grouping_new(const met_derivation *facts, met_arena *arena);

/* Two groups and all that lie on ways between them, ascending, in `scratch`: merged together, they leave no group that
 * waits for itself. */
met_group_list met_grouping_closure(const met_grouping *grouping, met_arena *scratch, uint32_t a, uint32_t b);
/* The nodes of some groups, ascending. */
met_group met_grouping_union(const met_grouping *grouping, met_arena *arena, const met_group_list *list);
/* Makes the groups one, under the number of the first. */
met_group *met_grouping_merge(met_grouping *grouping, const met_group_list *list);
/* Undoes merges, the last one first, till every group is accepted. What was ordered stays so: parts of a group wait for each
 * other as they did before, and nothing outside stands between them. */
void met_grouping_split(met_grouping *grouping);

/* The groups in an order in which they can run: again and again the first one that waits for nothing. */
met_group_list met_grouping_order(const met_grouping *grouping);

#endif
