/* Measured prices: what groups of a circuit take on a device, from the evidence store. A group becomes the kernels that a plan
 * would make of it (plan/region.h); each is looked up by what it computes and by the code that would be compiled for it now
 * (host/kernel_key.h). A group is measured if all its kernels have a fresh row.
 *
 * Of a kernel that reads weights or states the cold row counts, since in a model they come from memory in every step; of all
 * others the warm one, since what they read has just been made. Answers are kept by shape, so layers cost nothing. */
#ifndef MET_HOST_MEASURED_H
#define MET_HOST_MEASURED_H

#include "host/compiler.h"
#include "host/evidence.h"
#include "plan/of_lowering.h"
#include "realize/class.h"

typedef struct met_measured met_measured;

typedef struct met_measured_request {
    met_evidence *evidence;
    const met_settled *settled;
    const met_class *class;
    const char *device, *blueprint; /* as host/target.h has them */
    uint32_t threads;               /* with which it was measured; 0: all CPUs */
} met_measured_request;

/* Lives as long as the settled circuit's session; evidence and compiler must outlive it. NULL with diagnostics. */
met_measured *met_measured_new(const met_measured_request *request, met_compiler *compiler);

/* A group of the written circuit. */
typedef struct met_measured_answer {
    met_evidence_verdict verdict; /* FRESH: there are figures; else of the first kernel that has none */
    uint32_t kernels;             /* that the group becomes; 0: it does nothing that would take time */
    double seconds;
    bool has_joules;              /* all kernels have some */
    double joules;
} met_measured_answer;
met_measured_answer met_measured_group(met_measured *measured, uint32_t count, const met_node_id *nodes);

/* For met_pricing.measured; the context is a met_measured. */
bool met_measured_seconds(void *measured, uint32_t count, const met_node_id *nodes, double *ret_seconds);

/* Σ ops by themselves − the group as one. Known if all of it is measured; else `missing` says whose figure is not. */
typedef struct met_measured_laxity {
    bool known;
    double parts_s, whole_s, seconds;
    bool energy_known;
    double joules;
    met_evidence_verdict missing; /* of the group, or of the first op without a figure */
    met_node_id node;             /* that op; MET_NONE for the group */
} met_measured_laxity;
met_measured_laxity met_measured_laxity_of(met_measured *measured, uint32_t count, const met_node_id *nodes);

/* The stale rows that were met so far, each once, in the order of meeting them. */
typedef struct met_stale_row {
    met_evidence_row row;
    met_evidence_verdict why;
} met_stale_row;
const met_stale_row *met_measured_stale(const met_measured *measured, size_t *ret_count);

#endif
