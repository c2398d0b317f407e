/* Departures that rules declare, against what their matches do: one that never happens is a finding, as one that is silent is
 * (parity/precision.h). Those of families are checked where they are read, against the family's pipeline. */
#ifndef MET_AUDIT_DEPARTS_H
#define MET_AUDIT_DEPARTS_H

#include "audit/tags.h"

/* Whether everything that the rule says to do in less than is required happens in a match of it on the class; failures are
 * diagnostics, `precision`. */
bool met_departs_check(met_tag_auditor *auditor, const met_hardware *hardware, const met_rule *rule);

#endif
