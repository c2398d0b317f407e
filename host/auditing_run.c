#include <string.h>

#include "base/diag.h"
#include "host/auditing_parts.h"
#include "host/microtest.h"

/* The program of a toy's single nodes, compiled: what all rules of the toy are compared with. */
typedef struct standard {
    const met_toy *toy;
    met_trial *trial;
} standard;

typedef struct runner {
    met_auditing *auditing;
    met_class_audit *class_audit;
    met_compiler *compiler;
    MET_VEC(standard) standards;
} runner;

static met_trial *standard_of(runner *run, const met_toy *toy)
{
    for (size_t s = 0; s < run->standards.count; s++)
        if (run->standards.at[s].toy == toy)
            return run->standards.at[s].trial;
    met_session *session = run->auditing->session;
    const met_class *class = met_class_find(run->class_audit->hardware->class_name);
    const met_lowering *lowering = met_toy_singles(run->auditing->lkb, run->class_audit->hardware, toy);
    const met_program *program = lowering ? met_toy_program(toy, lowering, class) : NULL;
    standard one = { toy, program ? met_trial_new(session, program, run->compiler) : NULL };
    MET_PUSH(session->arena, &run->standards, one);
    return one.trial;
}

static bool report(const runner *run, const met_rule *rule, const met_toy *toy, met_numbers numbers, const char *why)
{
    met_diag *d = met_diag_add(run->auditing->session, MET_DIAG_tag, rule->span, "the microtest `%s` fails on `%s`: %s",
                               rule->microtest, run->class_audit->hardware->id, why ? why : "it cannot be run");
    met_diag_help(d, "seen in %s, %s, %s, on %s numbers", toy->arch, toy->mode, toy->format, met_numbers_name(numbers));
    return false;
}

/* The toy with the rule's groups against the toy without, on all sets of numbers. */
static bool run_example(runner *run, const met_rule *rule, const met_toy_match *match)
{
    met_class_audit *c = run->class_audit;
    const met_program *program = met_toy_program(match->toy, match->lowering, met_class_find(c->hardware->class_name));
    met_trial *whole = program ? met_trial_new(run->auditing->session, program, run->compiler) : NULL;
    met_trial *parts = whole ? standard_of(run, match->toy) : NULL;
    bool good = parts != NULL;
    for (int k = 0; good && k < MET_NUMBERS_COUNT; k++) {
        const char *why;
        met_trial_verdict verdict = met_trial_compare(whole, parts, (met_numbers)k, &why);
        c->run_count++;
        c->same_count += verdict == MET_TRIAL_SAME;
        c->void_count += verdict == MET_TRIAL_VOID;
        if (verdict == MET_TRIAL_DIFFERENT || verdict == MET_TRIAL_FAILED)
            good = report(run, rule, match->toy, (met_numbers)k, why);
    }
    met_trial_free(whole);
    return good;
}

/* One toy a format is run: records have been compared on all. */
static bool is_first_of_format(const met_rule_matches *matches, uint32_t e)
{
    for (uint32_t k = 0; k < e; k++)
        if (!strcmp(matches->examples[k].toy->format, matches->examples[e].toy->format))
            return false;
    return true;
}

bool met_auditing_run_class(met_auditing *auditing, met_class_audit *class_audit, met_compiler *compiler)
{
    runner run = { .auditing = auditing, .class_audit = class_audit, .compiler = compiler };
    const met_hardware *hardware = class_audit->hardware;
    bool good = true;
    class_audit->ran = true;
    for (uint32_t r = 0; r < hardware->rule_count; r++) {
        const met_tag_audit *audit = &class_audit->audits[r];
        if (audit->rule->tag != MET_TAG_BIT_IDENTICAL || audit->verdict != MET_VERDICT_SAME)
            continue;
        met_auditing_say(auditing, "microtest %s on %s", audit->rule->id, hardware->id);
        for (uint32_t e = 0; e < audit->matches->example_count; e++)
            if (is_first_of_format(audit->matches, e) &&
                met_tag_reference(auditing->auditor, audit->matches->examples[e].toy, met_class_find(hardware->class_name)))
                good = run_example(&run, audit->rule, &audit->matches->examples[e]) && good;
    }
    for (size_t s = 0; s < run.standards.count; s++)
        met_trial_free(run.standards.at[s].trial);
    return good;
}
