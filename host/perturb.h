/* Measured amplifications in the evidence store: what met budget --measure found, by digests of what was computed and of the
 * arrays that went in. A row is an answer as long as both are the same, which nothing but the circuit and the arrays decides. */
#ifndef MET_HOST_PERTURB_H
#define MET_HOST_PERTURB_H

#include "budget/circuit.h"
#include "host/evidence.h"

/* The row of a key. False if there is none; a file that is wrong is a diagnostic besides. */
bool met_perturb_find(met_evidence *evidence, const met_amplify_key *key, met_amplification *ret_found);
/* Replaces the row of the same key. False with a diagnostic. */
bool met_perturb_put(met_evidence *evidence, const met_amplify_key *key, const met_amplification *found, int64_t measured_at);

/* Where a budget finds its estimates; with `measure` it also makes those that are missing and keeps them. Lives as long as the
 * session, and not longer than the store. */
typedef struct met_perturb met_perturb;
met_perturb *met_perturb_new(met_evidence *evidence, uint64_t seed, bool measure, int64_t now);
const met_budget_measure *met_perturb_measure(const met_perturb *perturb);
/* False if a row could not be written; there is a diagnostic. */
bool met_perturb_good(const met_perturb *perturb);

#endif
