#include "audit/report.h"

#include "base/vec.h"

met_laxity_verdict met_rule_laxity_verdict(const met_rule_laxity *laxity)
{
    bool time = laxity->parts_s > laxity->fused_s, energy = laxity->joules > 0;
    if (laxity->has_joules && time != energy)
        return MET_LAXITY_CHOICE;
    return time ? MET_LAXITY_KEPT : MET_LAXITY_DROPPED;
}

static bool is_dropped(const met_rule *rule, uint32_t count, const met_rule_laxity *laxities)
{
    for (uint32_t k = 0; k < count; k++)
        if (laxities[k].rule == rule && rule->element_count > 1)
            return met_rule_laxity_verdict(&laxities[k]) != MET_LAXITY_KEPT; /* a choice is never a default */
    return false;
}

const met_hardware *met_hardware_without(met_arena *arena, const met_hardware *hardware, uint32_t count,
                                         const met_rule_laxity *laxities)
{
    const met_rule **rules = MET_NEW_ARRAY(arena, const met_rule *, hardware->rule_count + 1);
    met_hardware *less = MET_NEW(arena, met_hardware);
    *less = *hardware;
    less->rules = rules;
    less->rule_count = 0;
    for (uint32_t r = 0; r < hardware->rule_count; r++)
        if (!is_dropped(hardware->rules[r], count, laxities))
            rules[less->rule_count++] = hardware->rules[r];
    return less->rule_count == hardware->rule_count ? hardware : less;
}

void met_class_report_finish(met_class_report *report)
{
    uint32_t priced = 0;
    double coverage = 0, measured = 0;
    report->metrics = met_class_metrics_of(report->lkb, report->hardware);
    report->metrics.equations = met_tag_equations(report->audit_count, report->audits);
    for (uint32_t m = 0; m < report->model_count; m++) {
        const met_venn *venn = report->models[m].venn;
        if (!venn || !venn->priced)
            continue;
        priced++;
        coverage += venn->coverage;
        measured += venn->measured;
    }
    report->metrics.coverage = priced ? coverage / priced : 0;
    report->metrics.measured = priced ? measured / priced : 0;
}
