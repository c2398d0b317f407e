/* One roofline time for each operation as the field counts them: projections with their halves together, attention whole,
 * t = max(bytes/bandwidth, flops/peak), no launches, no fusion, gains and biases not counted. What a step costs by this
 * measure can be compared with what others publish; what a plan costs is plan/price.h.
 *
 * Which nodes of a circuit are one operation is data: kernels/SITES.toml has rules without kernels, matched greedily. */
#ifndef MET_PLAN_ROOFLINE_H
#define MET_PLAN_ROOFLINE_H

#include "plan/lowering.h"

typedef struct met_roofline_node {
    const char *site; /* q, attend, gate_up … */
    double bytes, flops, seconds;
} met_roofline_node;

typedef struct met_roofline {
    uint32_t node_count;
    const met_roofline_node *nodes; /* in the order of the circuit */
    double seconds;                 /* of the step */
    double weight_bytes, bytes, flops;
} met_roofline;

#endif
