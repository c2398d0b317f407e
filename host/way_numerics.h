/* The numerics of a subject run in a way that has a lowering (greedy, exact), before it runs. */
#ifndef MET_HOST_WAY_NUMERICS_H
#define MET_HOST_WAY_NUMERICS_H

#include "host/subject_parts.h"
#include "parity/numerics.h"

/* By the schedules of its program where there is one, and by declared trees where the class is not written for, or not for these
 * formats. `lowering` is that of the way. NULL with diagnostics. */
const met_plan_numerics *met_way_numerics(const met_subject *subject, const met_way *way, const met_lowering *lowering);

#endif
