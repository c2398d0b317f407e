/* What is said of two plans that are compared by what is known of them (parity/compare.h): text within 80 columns, and JSON.
 * Nodes of which the same is said, in layers that are alike, are told of once. */
#ifndef MET_REPORT_PARITY_H
#define MET_REPORT_PARITY_H

#include "met/parity.h"
#include "parity/remedy.h"

typedef struct met_parity_line {
    uint32_t written;      /* the first node of which it is said */
    uint32_t count;
    const char *weights;   /* last parts of the names of their parameters, "wq wk"; "" if they have none */
} met_parity_line;

/* Of nodes that are not the same, by first appearance. */
uint32_t met_parity_lines(const met_parity_report *report, const met_parity_line **ret_lines);
const char *met_verdict_name(met_verdict verdict); /* same, different, unknown */
/* "tree", "format", … */
const char *met_parity_cause_name(met_parity_cause cause);
const char *met_numerics_source_name(met_numerics_source source); /* point, schedule, family, undeclared */

#endif
