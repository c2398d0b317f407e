#include "audit/tags_parts.h"

#include <string.h>

#include "base/diag.h"

met_tag_auditor *met_tag_auditor_new(const met_lkb *lkb, uint32_t toy_count, const met_toy *const *toys)
{
    met_arena *arena = lkb->session->arena;
    met_tag_auditor *auditor = MET_NEW(arena, met_tag_auditor);
    *auditor = (met_tag_auditor){ .lkb = lkb, .arena = arena, .toy_count = toy_count, .toys = toys };
    return auditor;
}

static known_rule *know(met_tag_auditor *auditor, const met_hardware *hardware, const met_rule *rule)
{
    for (size_t r = 0; r < auditor->rules.count; r++)
        if (auditor->rules.at[r]->rule == rule)
            return auditor->rules.at[r];
    known_rule *known = MET_NEW(auditor->arena, known_rule);
    *known = (known_rule){ rule, met_toy_matches(auditor->lkb, hardware, rule, auditor->toy_count, auditor->toys), false };
    MET_PUSH(auditor->arena, &auditor->rules, known);
    return known;
}

const met_rule_matches *met_tag_matches(met_tag_auditor *auditor, const met_hardware *hardware, const met_rule *rule)
{
    return &know(auditor, hardware, rule)->matches;
}

static reference *reference_of(met_tag_auditor *auditor, const met_toy *toy, const char *class_id)
{
    for (size_t r = 0; r < auditor->references.count; r++)
        if (auditor->references.at[r]->toy == toy && !strcmp(auditor->references.at[r]->class_id, class_id))
            return auditor->references.at[r];
    reference *one = MET_NEW(auditor->arena, reference);
    *one = (reference){ .toy = toy, .class_id = class_id };
    MET_PUSH(auditor->arena, &auditor->references, one);
    return one;
}

const met_plan_numerics *met_tag_reference(met_tag_auditor *auditor, const met_toy *toy, const met_class *class)
{
    reference *one = reference_of(auditor, toy, class->name);
    met_session *session = auditor->lkb->session;
    if (!one->lowering) {
        met_diag_mark mark = met_session_mark(session);
        one->lowering = met_toy_singles(auditor->lkb, &auditor->lkb->hardware[0], toy);
        one->numerics = one->lowering ? met_toy_numerics(toy, one->lowering, class) : NULL;
        met_session_take_message(session, mark);
    }
    return one->numerics;
}

const met_lowering *met_tag_alone(met_tag_auditor *auditor, const met_hardware *hardware, const met_toy *toy)
{
    reference *one = reference_of(auditor, toy, hardware->id);
    met_lower_options options = { .lkb = auditor->lkb, .hardware = hardware, .mode = toy->mode, .rows = 1, .partial = true };
    if (!one->alone)
        one->alone = met_lower(toy->circuit, MET_LOWER_NONE, &options);
    return one->alone;
}

/* --- A rule --- */

static const char *tag_word(met_tag tag)
{
    static const char *const words[] = { "reference", "bit_identical", "differs" };
    return words[tag];
}

/* Same means an equation, unless there is but one node: that is what others are compared with. What is unknown is an error. */
static bool fits(const met_tag_audit *audit)
{
    met_tag tag = audit->rule->tag;
    if (audit->verdict == MET_VERDICT_UNKNOWN)
        return false;
    if (audit->verdict == MET_VERDICT_DIFFERENT)
        return tag != MET_TAG_BIT_IDENTICAL;
    return audit->single ? tag != MET_TAG_DIFFERS : tag == MET_TAG_BIT_IDENTICAL;
}

static void report(const met_lkb *lkb, const met_tag_audit *audit, const met_toy *toy)
{
    const met_rule *rule = audit->rule;
    const char *hardware = audit->hardware->id;
    met_diag *d;
    if (audit->verdict == MET_VERDICT_UNKNOWN) {
        d = met_diag_add(lkb->session, MET_DIAG_tag, rule->span, "whether `%s` is an equation on `%s` is unknown: %s", rule->id,
                         hardware, audit->why);
        met_diag_help(d, "declare the trees, or take the rule from this class");
    } else if (audit->verdict == MET_VERDICT_DIFFERENT) {
        d = met_diag_add(lkb->session, MET_DIAG_tag, rule->span, "`%s` is tagged bit_identical, but not so on `%s`: %s", rule->id,
                         hardware, audit->why);
        met_diag_help(d, "such a rule is `reference`, or `differs` with a lever");
    } else {
        d = met_diag_add(lkb->session, MET_DIAG_tag, rule->span, "`%s` is tagged %s, but its arithmetic on `%s` is that of its parts",
                         rule->id, tag_word(rule->tag), hardware);
        met_diag_help(d, audit->single ? "a single op is `reference`" : "such a rule is `bit_identical`, with a microtest");
    }
    if (toy)
        met_diag_help(d, "seen in %s, %s, %s", toy->arch, toy->mode, toy->format);
}

static void report_unmatched(met_tag_auditor *auditor, known_rule *known)
{
    if (known->reported)
        return;
    known->reported = true;
    met_diag *d = met_diag_add(auditor->lkb->session, MET_DIAG_unmatched_rule, known->rule->span,
                               "no circuit matches the rule `%s`", known->rule->id);
    met_diag_help(d, "it was tried on the toys of all architectures, in all modes, with all settings as it wants them; "
                     "an `example` shows a circuit that it is for");
}

/* Rules that ask for what the class does not have are none of it. */
static bool is_available(const met_hardware *hardware, const met_rule *rule)
{
    for (uint32_t k = 0; k < rule->kernels.count; k++)
        if (met_hardware_lacks(hardware, rule->kernels.names[k]))
            return false;
    for (uint32_t c = 0; c < rule->capabilities.count; c++)
        if (!met_name_list_has(&hardware->capabilities, rule->capabilities.names[c]))
            return false;
    return true;
}

/* Circuits that a class cannot hold, such as those with formats that its kernels do not have, say nothing of it. */
static bool is_held(met_tag_auditor *auditor, const met_hardware *hardware, const met_toy *toy)
{
    const met_class *class = hardware->class_name ? met_class_find(hardware->class_name) : NULL;
    return !class || met_tag_reference(auditor, toy, class) != NULL;
}

met_tag_audit met_tag_check(met_tag_auditor *auditor, const met_hardware *hardware, const met_rule *rule)
{
    known_rule *known = know(auditor, hardware, rule);
    const met_rule_matches *matches = &known->matches;
    met_tag_audit audit = { .hardware = hardware, .rule = rule, .matches = matches, .verdict = MET_VERDICT_SAME,
                            .single = matches->largest < 2, .available = is_available(hardware, rule), .good = true };
    const met_toy *seen = matches->example_count ? matches->examples[0].toy : NULL;
    if (matches->match_count == 0) {
        report_unmatched(auditor, known);
        audit.good = false;
        audit.verdict = MET_VERDICT_UNKNOWN;
        return audit;
    }
    if (!audit.available)
        return audit;
    uint32_t held = 0;
    for (uint32_t e = 0; e < matches->example_count && audit.verdict != MET_VERDICT_DIFFERENT; e++) {
        const char *why;
        if (!audit.single && !is_held(auditor, hardware, matches->examples[e].toy))
            continue;
        held++;
        met_verdict one = met_tag_compare(auditor, hardware, &matches->examples[e], &why);
        if (one == MET_VERDICT_SAME || one == audit.verdict)
            continue;
        audit.verdict = one;
        audit.why = why;
        seen = matches->examples[e].toy;
    }
    if (held == 0 && !audit.single) {
        audit.verdict = MET_VERDICT_UNKNOWN;
        audit.why = "the class can hold none of the circuits that it matches";
    }
    audit.good = fits(&audit);
    if (!audit.good)
        report(auditor->lkb, &audit, seen);
    return audit;
}

uint32_t met_tag_equations(uint32_t count, const met_tag_audit *audits)
{
    uint32_t found = 0;
    for (uint32_t a = 0; a < count; a++)
        found += audits[a].available && audits[a].verdict == MET_VERDICT_SAME && audits[a].rule->tag == MET_TAG_BIT_IDENTICAL && !audits[a].single;
    return found;
}
