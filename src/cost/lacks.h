/* The parts of a problem that closed forms and real optima share: each array and resident as a coefficient times tiles
 * that are free, the streamed slices that divide no traffic being thin. */
#ifndef MET_COST_LACKS_H
#define MET_COST_LACKS_H

#include "cost/problem.h"

/* Loops whose tiles divide some array's traffic: groups that it lacks, and streams that it lacks outside of one that it
 * has. All loops are taken to have several trips. */
met_loops met_cost_free_loops(const met_cost_problem *problem);
/* Those of one array. */
met_loops met_cost_lacks(const met_cost_problem *problem, const met_cost_array *array);

#endif
