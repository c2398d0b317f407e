/* What rules have been measured to win: sums over the groups of plans for which the evidence store has all figures. */
#ifndef MET_HOST_RULE_LAXITY_H
#define MET_HOST_RULE_LAXITY_H

#include "base/session.h"

#include "audit/report.h"
#include "host/measured.h"

/* Adds the groups of a plan; the list has room for every rule of the class. */
void met_rule_laxities_add(const met_lowering *lowering, met_measured *measured, uint32_t *count, met_rule_laxity *laxities);

/* Rule 5: a blueprint like the plan's without the rules that measured figures speak against on its class, each with a note in
 * the session; the same blueprint if there is none. */
const met_lkb *met_rule_laxities_drop(const met_lowering *lowering, met_measured *measured);

#endif
