#include "host/rule_laxity.h"

#include "base/diag.h"

void met_rule_laxities_add(const met_lowering *lowering, met_measured *measured, uint32_t *count, met_rule_laxity *laxities)
{
    for (uint32_t g = 0; g < lowering->group_count; g++) {
        const met_lowering_group *group = &lowering->groups[g];
        uint32_t k = 0;
        if (group->source != MET_GROUP_RULE || group->node_count < 2)
            continue;
        met_measured_laxity one = met_measured_laxity_of(measured, group->node_count, group->nodes);
        if (!one.known)
            continue;
        while (k < *count && laxities[k].rule != group->rule)
            k++;
        if (k == *count)
            laxities[(*count)++] = (met_rule_laxity){ .rule = group->rule, .has_joules = true };
        laxities[k].group_count++;
        laxities[k].parts_s += one.parts_s;
        laxities[k].fused_s += one.whole_s;
        laxities[k].has_joules = laxities[k].has_joules && one.energy_known;
        laxities[k].joules += one.energy_known ? one.joules : 0;
    }
}

static void say(met_session *session, const met_hardware *hardware, const met_rule_laxity *laxity)
{
    static const char *const words[] = { "", "measured, it wins no time", "measured, it wins one of time and energy and loses the other" };
    met_laxity_verdict verdict = met_rule_laxity_verdict(laxity);
    if (verdict == MET_LAXITY_KEPT || laxity->rule->element_count < 2)
        return;
    met_diag *d = met_diag_add(session, MET_DIAG_note, laxity->rule->span, "the rule `%s` is dropped on `%s`: %s", laxity->rule->id,
                               hardware->id, words[verdict]);
    met_diag_help(d, "met lkb report --hardware %s has the figures", hardware->id);
}

const met_lkb *met_rule_laxities_drop(const met_lowering *lowering, met_measured *measured)
{
    const met_lkb *lkb = lowering->lkb;
    const met_hardware *hardware = lowering->hardware;
    met_arena *arena = lkb->session->arena;
    met_rule_laxity *laxities = MET_NEW_ARRAY(arena, met_rule_laxity, hardware->rule_count + 1);
    uint32_t count = 0;
    met_rule_laxities_add(lowering, measured, &count, laxities);
    const met_hardware *less = met_hardware_without(arena, hardware, count, laxities);
    if (less == hardware)
        return lkb;
    met_hardware *classes = MET_NEW_ARRAY(arena, met_hardware, lkb->hardware_count);
    met_lkb *copy = MET_NEW(arena, met_lkb);
    for (uint32_t h = 0; h < lkb->hardware_count; h++)
        classes[h] = &lkb->hardware[h] == hardware ? *less : lkb->hardware[h];
    for (uint32_t k = 0; k < count; k++)
        say(lkb->session, hardware, &laxities[k]);
    *copy = *lkb;
    copy->hardware = classes;
    return copy;
}
