/* Plans of circuits as written on hardware classes and devices: which rule of the blueprint, or which kernel that derivation
 * finds, covers which ops; what that costs; and the plan's canonical text with its digest. docs/lowering.md explains them. */
#ifndef MET_PLAN_H
#define MET_PLAN_H

#include "met/blueprint.h"
#include "met/circuit.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct met_lowering met_lowering;

/* All zero is the default throughout, but for `hardware`. */
typedef struct met_plan_request {
    const char *planner;  /* none, greedy (the default) or exact */
    const char *hardware; /* a device, or a class: plans on a class have no prices, but `exact` takes the class's first device */
    const char *mode;     /* of the circuit: decode, prefill, …; "run" (the default) where it has none */
    uint64_t rows;        /* 0: as the circuit is bound, or the mode's default */
    uint64_t context;     /* tokens that are cached already; 0: as the circuit is bound, or 4096 */
    size_t setting_count;
    const char *const *settings; /* "name=value", over the class's */
    size_t lever_count;
    const char *const *levers;   /* names of settings to turn on */
    bool partial;         /* leave nodes that nothing covers without a kernel, instead of refusing */
    bool explain;         /* remember which rules lost */
    /* Measured seconds of nodes (ascending) as one group; false if there is no measurement. NULL: the model alone. */
    bool (*measured)(void *context, uint32_t count, const uint32_t *nodes, double *ret_seconds);
    void *measured_context;
    const met_circuit *resident; /* what stays in memory: the model in mode decode; NULL: the circuit itself */
} met_plan_request;

/* The circuit with the mode's rows (n; b where there are several sequences) and context (c) bound as the request says; what
 * they come to be is written back. NULL with diagnostics. */
met_circuit *met_plan_bind(met_circuit *circuit, met_plan_request *request);

/* Sizes of the circuit must be bound for prices. NULL with diagnostics. */
const met_lowering *met_plan_circuit(const met_circuit *circuit, const met_lkb *lkb, const met_plan_request *request);

/* The canonical text, whose SHA-256 is the digest; a report of at most 80 columns, in which repeated groups are folded; JSON
 * (docs/lowering.md). They live as long as the session. */
const char *met_lowering_text(const met_lowering *lowering);
const char *met_lowering_digest(const met_lowering *lowering);
const char *met_lowering_report(const met_lowering *lowering, const met_plan_request *request);
const char *met_lowering_json(const met_lowering *lowering, const met_plan_request *request);

/* One time for each operation as the field counts them (docs/lowering.md): a table, or JSON. NULL with diagnostics. */
const char *met_plan_nodes_report(const met_circuit *circuit, const met_lkb *lkb, const met_plan_request *request, bool json);

#ifdef __cplusplus
}
#endif
#endif
