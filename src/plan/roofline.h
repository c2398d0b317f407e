/* One roofline time for each operation as the field counts them: projections with their halves together, attention whole,
 * t = max(bytes/bandwidth, flops/peak), no launches, no fusion, gains and biases not counted. What a step costs by this
 * measure can be compared with what others publish; what a plan costs is plan/price.h.
 *
 * Which nodes of a circuit are one operation is data: kernels/SITES.toml has rules without kernels, matched greedily. */
#ifndef MET_PLAN_ROOFLINE_H
#define MET_PLAN_ROOFLINE_H

#include "base/text.h"
#include "plan/price.h"

/* Nodes that are one operation; ascending. */
typedef struct met_site {
    const char *name; /* q, attend, gate_up … */
    uint32_t node_count;
    const met_node_id *nodes;
} met_site;

typedef struct met_roofline_node {
    const char *site;
    double bytes, flops, seconds;
} met_roofline_node;

typedef struct met_roofline {
    uint32_t node_count;
    const met_roofline_node *nodes; /* in the order of the circuit */
    double seconds;                 /* of the step */
    double bytes, flops;
} met_roofline;

/* Sites in order; a node is in one at most, and nodes in none count nothing. In the circuit's arena. */
const met_roofline *met_roofline_new(const met_pricing *pricing, uint32_t site_count, const met_site *sites);

/* Sites of one name added up, in order of first appearance. */
const met_roofline *met_roofline_by_site(met_arena *arena, const met_roofline *roofline);

/* A table of sites, added up, with their share of the time; and as JSON, an object. */
void met_roofline_print(met_text *out, met_arena *arena, const met_roofline *roofline);
const char *met_roofline_json(met_arena *arena, const met_roofline *roofline);

/* Rows at which a matrix product of `in` by `out` values, `value_bytes` each, leaves the memory bound of the outermost level:
 * where n·(in + out) + in·out values take as long as 2·n·in·out flops. Infinite if it never does. */
double met_crossover_rows(const met_device *device, met_peak peak, double value_bytes, double in, double out);

#endif
