/* Lowering: the plan of a circuit as it is written. Which rule or derived region covers which nodes, what each group becomes
 * (kernels of a family), and which edges stay inside of a group. Its text is canonical and its SHA-256 is the plan's digest.
 * Kernels and bytes come from lowering a plan further, to the settled circuit (plan/of_lowering.h).
 *
 * Planners differ in how they choose; one checker holds for all of them: every node covered once, groups convex and in an
 * order in which they can run, edges classed, formats agreeing, kernels available. */
#ifndef MET_PLAN_LOWERING_H
#define MET_PLAN_LOWERING_H

#include "base/text.h"
#include "plan/price.h"

typedef enum met_lowerer { MET_LOWER_NONE, MET_LOWER_GREEDY, MET_LOWER_EXACT } met_lowerer;

typedef enum met_group_source {
    MET_GROUP_RULE,       /* a rule covers it */
    MET_GROUP_DERIVED,    /* derivation found that it is one kernel */
    MET_GROUP_PLACEHOLDER /* no kernel: novel.OP[.FORMAT] */
} met_group_source;

typedef struct met_lowering_group {
    uint32_t node_count;
    const met_node_id *nodes; /* ascending */
    met_group_source source;
    const met_rule *rule;     /* RULE */
    const met_family *family; /* NULL for a placeholder */
    met_name_list kernels;
    met_repeat repeat;
    uint32_t chunk;
    met_tag tag;
    const char *lever;        /* DIFFERS */
    const char *record;       /* digest of its numerics record, "undeclared" if a part of it is */
    uint32_t change_count;    /* edges that it makes or reads in other formats than the circuit says */
    const met_edge_change *changes;
    met_price price;          /* if a device was given */
    met_price parts;          /* of the same nodes, one kernel each */
} met_lowering_group;

typedef enum met_edge_class { MET_EDGE_MATERIALIZED, MET_EDGE_FUSED } met_edge_class;

/* Why a rule that matched somewhere in a group's nodes did not get them, or why the group won: for --explain. */
typedef struct met_lowering_note {
    uint32_t group;
    const met_rule *rule; /* NULL: a derived region */
    bool won;
    const char *reason;
} met_lowering_note;

typedef struct met_lowering {
    const met_circuit *circuit; /* as written, bound */
    const met_lkb *lkb;
    const met_hardware *hardware;
    const met_device *device;   /* NULL: no prices */
    met_lowerer planner;
    const char *mode;
    uint64_t rows;
    uint32_t group_count;
    const met_lowering_group *groups; /* in the order in which they run; ties by lowest node */
    const uint32_t *group_of;         /* by node */
    const met_edge_class *edges;      /* by edge; inputs and parameters are materialized */
    const met_format *stored;         /* by edge: the format it is stored or handed on in */
    met_price price, parts;           /* of the whole; of one kernel a node */
    bool derives;                     /* regions that derivation finds could be groups, and some family takes them */
    double bound_s;                   /* EXACT: no plan of these candidates takes less */
    bool proven;                      /* EXACT: the plan reaches the bound */
    uint32_t note_count;
    const met_lowering_note *notes;
} met_lowering;

/* Whether nodes (ascending) of the circuit as written can be one kernel of the class. */
typedef bool (*met_region_fn)(void *context, uint32_t count, const met_node_id *nodes);
/* Text of the numerics of a group of nodes: trees, rounding points, hand-off formats, functions, rescaling. NULL: undeclared. */
typedef const char *(*met_record_fn)(void *context, uint32_t count, const met_node_id *nodes);

typedef struct met_lower_options {
    const met_lkb *lkb;
    const met_hardware *hardware;
    const met_pricing *pricing;   /* NULL: no prices; EXACT needs one */
    const char *mode;             /* decode, multi_seq, verify, prefill; "run" where a circuit has no modes */
    uint64_t rows;                /* at least 1 */
    uint32_t setting_count;       /* that override the class's defaults; levers are settings too */
    const met_setting *settings;
    bool partial;                 /* leave placeholders instead of refusing */
    bool explain;
    met_region_fn region;         /* NULL: rules only */
    void *region_context;
    met_record_fn record;         /* NULL: undeclared */
    void *record_context;
} met_lower_options;

/* NULL with diagnostics: uncovered nodes, a setting without a value, formats in conflict, an empty circuit, no rows. */
const met_lowering *met_lower(const met_circuit *circuit, met_lowerer planner, const met_lower_options *options);

bool met_lowerer_find(met_str name, met_lowerer *ret_planner);
const char *met_lowerer_name(met_lowerer planner); /* none, greedy, exact */

/* What the plan costs on several devices (of one workload: that of its circuit), without planning again. */
void met_lowering_prices(const met_lowering *lowering, uint32_t count, const met_pricing *pricings, met_price *ret_prices);

/* NULL if all that the head of this file says holds, otherwise what does not. */
const char *met_lowering_check(const met_lowering *lowering);

/* The canonical text: names no rule, no citation and no microtest, so that editing a rule that is not used changes nothing. */
void met_lowering_print(met_text *out, const met_lowering *lowering);
/* SHA-256 of that text, in hex. */
const char *met_lowering_digest(const met_lowering *lowering);

#endif
