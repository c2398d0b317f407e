/* Proven lower bounds: what no schedule can do without, of a certain kind or at all. */
#ifndef MET_COST_BOUND_H
#define MET_COST_BOUND_H

#include "cost/problem.h"

/* For a kernel that is one contraction of two arrays, a·b·c with b folded: 2abc/√M + ac, to leading order, for schedules
 * that keep every element of the result from its first to its last term, where b is at least 2√M (Hong and Kung 1981 for
 * the order; the constant follows from the tile that is best for such schedules, √M by √M). Formats narrower than others
 * count as if all were. In 1/unit. False if the kernel has another form, or the capacity is too large for the claim. */
bool met_cost_lower_bound(const met_kernel *kernel, const met_cost_problem *problem, uint64_t capacity, double *ret_bound);

#endif
