/* Pipelines: the precision of every step of an op, as the family of its kernel declares it, against what the class's policy
 * requires (PRECISION.toml): a precision of steps that compute; of those that hand values on, the formats of their edges in the
 * plan. A departure that its rule or family says (`departs`) is a choice; any other is silent, and its plan is refused.
 *
 * Families say nothing of formats that their pipelines do not take: that is a gap of coverage (audit/venn.h), no departure. */
#ifndef MET_PARITY_PRECISION_H
#define MET_PARITY_PRECISION_H

#include "plan/lowering.h"

typedef struct met_departure {
    met_node_id node;         /* of the written circuit */
    uint32_t group;
    const char *kernel;
    const met_family *family; /* NULL: what a rule stores is in question */
    const char *step;
    const char *required, *declared; /* precisions; "nothing" where the step is missing */
    const char *by;           /* who requires it: "the policy", "its operand's format" … */
    bool said;                /* its rule or its family says that it departs so */
} met_departure;

typedef struct met_departures {
    uint32_t count;
    const met_departure *at; /* by node, then by step */
} met_departures;

/* In the circuit's arena. */
met_departures met_departures_of(const met_lowering *lowering);

/* Whether none is silent; otherwise a diagnostic `precision` that names the first one and how many there are. */
bool met_lowering_is_precise(const met_lowering *lowering);

#endif
