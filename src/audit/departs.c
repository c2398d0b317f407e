#include "audit/departs.h"

#include <string.h>

#include "audit/tags_parts.h"
#include "base/diag.h"
#include "parity/precision.h"

/* Whether a group of the rule departs so in a toy. */
static bool happens_in(const met_tag_auditor *auditor, const met_hardware *hardware, const met_rule *rule, const met_toy *toy,
                       const met_departs *one)
{
    const met_lowering *lowering = met_toy_lower(auditor->lkb, hardware, rule, toy);
    met_departures found = lowering ? met_departures_of(lowering) : (met_departures){ 0 };
    for (uint32_t k = 0; k < found.count; k++)
        if (lowering->groups[found.at[k].group].rule == rule && strcmp(found.at[k].step, one->step) == 0 &&
            strcmp(found.at[k].declared, one->precision) == 0)
            return true;
    return false;
}

bool met_departs_check(met_tag_auditor *auditor, const met_hardware *hardware, const met_rule *rule)
{
    bool good = true;
    if (rule->departs.count == 0)
        return true;
    const met_rule_matches *matches = met_tag_matches(auditor, hardware, rule);
    for (uint32_t i = 0; i < rule->departs.count; i++) {
        const met_departs *one = &rule->departs.at[i];
        bool happens = false;
        for (uint32_t e = 0; e < matches->example_count && !happens; e++)
            happens = happens_in(auditor, hardware, rule, matches->examples[e].toy, one);
        if (happens)
            continue;
        met_diag_add(auditor->lkb->session, MET_DIAG_precision, one->span,
                     "the rule `%s` says that the step `%s` departs in %s, which happens in none of its matches on `%s`", rule->id, one->step,
                     one->precision, hardware->id);
        good = false;
    }
    return good;
}
