/* The price of groups and plans on a device (docs/cost.md, "Plans").
 *
 *     bytes = every external array once in, every stored array once out, in stored formats
 *     time  = max(flops/peak, bytes_l/bandwidth_l for every level l) + launch
 *
 * A group's price depends on the group and on the formats in which what it reads is stored: what it makes is stored if it is
 * read outside, or kept by the circuit, or if its rule says so. So the price of a plan is the sum over its groups. Laxity is the price of one kernel a node minus that of the plan.
 *
 * Bytes, flops, seconds and joules are totals of the group, over all its repetitions. */
#ifndef MET_PLAN_PRICE_H
#define MET_PLAN_PRICE_H

#include "lkb/lkb.h"
#include "plan/workload.h"

#define MET_PRICE_LEVELS 8

typedef enum met_joules { MET_JOULES_UNAVAILABLE, MET_JOULES_MODELLED, MET_JOULES_MEASURED } met_joules;

enum { MET_BOUND_COMPUTE = -1, MET_BOUND_LAUNCH = -2 };

typedef struct met_price {
    double bytes;    /* through the outermost level */
    double level_bytes[MET_PRICE_LEVELS]; /* by level of the device: no schedule of the group moves fewer */
    double flops;
    double launches;
    double seconds;
    double joules;   /* NaN if they are unavailable */
    met_joules joules_are;
    double modelled_s; /* what the model says, whatever `seconds` are */
    bool measured;   /* `seconds` comes from the evidence store */
    bool calibrated; /* … or from the model and what was measured of others (plan/calibrate.h); of a sum, some of it */
    int bound;       /* what decides: a level's number, or MET_BOUND_…; of a sum, what decides its dearest part */
    double bound_s;  /* seconds of that part */
} met_price;

/* Measured seconds of a group on the device; false if there is no (fresh) measurement. */
typedef bool (*met_measured_fn)(void *context, uint32_t count, const met_node_id *nodes, double *ret_seconds);

typedef struct met_pricing {
    const met_workload *workload;
    const met_device *device;
    bool no_fp4_unit;         /* the class has no fp4 matrix instruction: nvfp4 counts at the fp8 peak */
    met_measured_fn measured; /* NULL: the model alone */
    void *context;
} met_pricing;

/* An edge that a group makes or reads otherwise than the circuit says. */
typedef struct met_edge_change {
    met_edge_id edge;
    met_format format; /* in which it is stored or handed on */
    bool stored;       /* the group stores it, though nobody may read it outside */
} met_edge_change;

/* A group as a plan has it. */
typedef struct met_priced_group {
    uint32_t count;
    const met_node_id *nodes; /* ascending */
    met_repeat repeat;
    uint32_t chunk;           /* of CHUNK */
    uint64_t rows;            /* that repeats share out */
    uint32_t change_count;
    const met_edge_change *changes; /* an edge at most once */
} met_priced_group;

/* Every repetition is a launch and reads the weights again; everything else is shared out among them. What is changed is
 * moved, and computed with, in the format it has then. A group of cuts alone moves nothing and is not launched. */
met_price met_price_group(const met_pricing *pricing, const met_priced_group *group);
/* One kernel a node: the sum. */
met_price met_price_parts(const met_pricing *pricing, uint32_t count, const met_node_id *nodes);
/* Adds b to a. An empty price ({0}) plus b is b. Joules are as certain as the less certain of both. */
void met_price_add(met_price *a, const met_price *b);

/* Seconds and what bounds them, from bytes by level, launches and the seconds that arithmetic takes at its peaks. */
void met_price_time(const met_device *device, double compute_s, met_price *price);

/* Flops a second for work of a kind. Where a device has no such peak the next wider format's counts. */
double met_device_peak(const met_device *device, met_peak peak, bool no_fp4_unit);

/* How many launches a repeat makes of `rows` rows. */
double met_repeat_count(met_repeat repeat, uint32_t chunk, uint64_t rows);

typedef struct met_laxity {
    double bytes, launches, seconds;
    double joules; /* NaN if they are unavailable */
    met_joules joules_are;
} met_laxity;

/* What `whole` saves over `parts`; negative where it costs more. */
met_laxity met_price_laxity(const met_price *parts, const met_price *whole);

/* "hbm", "compute", "launch" */
const char *met_price_bound_name(const met_price *price, const met_device *device);
/* "modelled", "measured", "unavailable" */
const char *met_joules_name(met_joules joules);

#endif
