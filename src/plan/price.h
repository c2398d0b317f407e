/* The price of groups and plans on a device.
 *
 *     bytes = every external array once in, every stored array once out, in stored formats
 *     time  = max(flops/peak, bytes_l/bandwidth_l for every level l) + launch
 *
 * A group's price depends on the group alone: what it makes is stored if it is read outside, or kept by the circuit. So the
 * price of a plan is the sum over its groups. Laxity is the price of one kernel a node minus that of the plan. */
#ifndef MET_PLAN_PRICE_H
#define MET_PLAN_PRICE_H

#include "lkb/lkb.h"
#include "plan/workload.h"

#define MET_PRICE_LEVELS 8

typedef enum met_joules { MET_JOULES_UNAVAILABLE, MET_JOULES_MODELLED, MET_JOULES_MEASURED } met_joules;

typedef struct met_price {
    double bytes;    /* through the outermost level */
    double level_bytes[MET_PRICE_LEVELS]; /* by level of the device */
    double flops;
    double launches;
    double seconds;
    double joules;
    met_joules joules_are;
    bool measured;   /* `seconds` comes from the evidence store */
    int bound;       /* what decides: a level's number, -1 the arithmetic, -2 the launch */
} met_price;

/* Measured seconds of a group on the device; false if there is no (fresh) measurement. */
typedef bool (*met_measured_fn)(void *context, uint32_t count, const met_node_id *nodes, double *ret_seconds);

typedef struct met_pricing {
    const met_workload *workload;
    const met_device *device;
    met_measured_fn measured; /* NULL: the model alone */
    void *context;
} met_pricing;

/* Of one group (nodes ascending), run `repeat` as a rule says over `rows` rows. */
met_price met_price_group(const met_pricing *pricing, uint32_t count, const met_node_id *nodes, met_repeat repeat,
                          uint32_t chunk, uint64_t rows);
/* Adds b to a. */
void met_price_add(met_price *a, const met_price *b);

/* --- One time for each node as the field counts them (docs/cost.md): no launches, no fusion --- */
/* in plan/roofline.h */

#endif
