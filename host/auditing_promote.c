#include <string.h>

#include "base/diag.h"
#include "base/json.h"
#include "host/auditing_parts.h"
#include "host/cpu.h"
#include "host/evidence.h"
#include "host/microtest.h"
#include "host/target.h"

/* What is known of a pair of families. */
typedef struct couple {
    const met_family *a, *b;
    uint32_t points;  /* toys in which rules give both the same nodes */
    uint32_t runs, same, void_runs;
    uint32_t timed;   /* shapes and rows at which both were measured */
    double worst;     /* the largest ratio of b's time to a's, or the other way round */
    const char *why;  /* the first difference */
} couple;

typedef struct promoter {
    met_auditing *auditing;
    met_session *session;
    const met_hardware *hardware;
    const met_class *class;
    met_compiler *compiler;
    size_t row_count;
    const met_evidence_row *rows;
} promoter;

/* --- Bytes --- */

static bool names_kernel_of(const met_rule *rule, const met_family *family)
{
    for (uint32_t k = 0; k < family->kernels.count; k++)
        if (met_name_list_has(&rule->kernels, family->kernels.names[k]))
            return true;
    return false;
}

static bool same_group(const met_lowering_group *a, const met_lowering_group *b)
{
    if (a->source != MET_GROUP_RULE || b->source != MET_GROUP_RULE || a->node_count != b->node_count)
        return false;
    for (uint32_t n = 0; n < a->node_count; n++)
        if (a->nodes[n].id != b->nodes[n].id)
            return false;
    return true;
}

static bool share_nodes(const met_lowering *a, const met_lowering *b)
{
    for (uint32_t g = 0; g < a->group_count; g++)
        for (uint32_t h = 0; h < b->group_count; h++)
            if (same_group(&a->groups[g], &b->groups[h]))
                return true;
    return false;
}

static void run_both(const promoter *p, couple *pair, const met_toy *toy, const met_lowering *a, const met_lowering *b)
{
    const met_program *program_a = met_toy_program(toy, a, p->class), *program_b = met_toy_program(toy, b, p->class);
    met_trial *trial_a = program_a ? met_trial_new(p->session, program_a, p->compiler) : NULL;
    met_trial *trial_b = program_b ? met_trial_new(p->session, program_b, p->compiler) : NULL;
    for (int k = 0; trial_a && trial_b && k < MET_NUMBERS_COUNT; k++) {
        const char *why;
        met_trial_verdict verdict = met_trial_compare(trial_a, trial_b, (met_numbers)k, &why);
        pair->runs++;
        pair->same += verdict == MET_TRIAL_SAME;
        pair->void_runs += verdict == MET_TRIAL_VOID;
        pair->why = verdict == MET_TRIAL_DIFFERENT && !pair->why ? why : pair->why;
    }
    met_trial_free(trial_a);
    met_trial_free(trial_b);
}

/* In every toy with a match of one rule that the other would take as well. */
static void compare_rules(const promoter *p, couple *pair, const met_rule *a, const met_rule *b)
{
    const met_rule_matches *matches = met_tag_matches(p->auditing->auditor, p->hardware, a);
    for (uint32_t e = 0; e < matches->example_count; e++) {
        const met_toy *toy = matches->examples[e].toy;
        if (!met_tag_reference(p->auditing->auditor, toy, p->class))
            continue; /* a circuit that the class cannot hold */
        met_diag_mark mark = met_session_mark(p->session);
        const met_lowering *other = met_toy_lower(p->auditing->lkb, p->hardware, b, toy);
        if (other && share_nodes(matches->examples[e].lowering, other)) {
            pair->points++;
            run_both(p, pair, toy, matches->examples[e].lowering, other);
        }
        met_session_take_message(p->session, mark);
    }
}

/* --- Time --- */

static bool same_question(const met_evidence_row *a, const met_evidence_row *b)
{
    return a->rows == b->rows && a->key.threads == b->key.threads && a->key.caches == b->key.caches &&
           !strcmp(a->key.computes, b->key.computes);
}

static void compare_times(const promoter *p, couple *pair)
{
    for (size_t r = 0; r < p->row_count; r++) {
        for (size_t s = 0; s < p->row_count; s++) {
            const met_evidence_row *a = &p->rows[r], *b = &p->rows[s];
            if (strcmp(a->family, pair->a->id) != 0 || strcmp(b->family, pair->b->id) != 0 || !same_question(a, b) ||
                !(a->median_s > 0 && b->median_s > 0))
                continue;
            double ratio = a->median_s > b->median_s ? a->median_s / b->median_s : b->median_s / a->median_s;
            pair->timed++;
            pair->worst = ratio > pair->worst ? ratio : pair->worst;
        }
    }
}

/* --- Verdicts --- */

/* Medians of five runs spread by a few percent. */
static const double same_time = 1.05;

static const char *verdict_of(const couple *pair, bool *ret_merge)
{
    *ret_merge = pair->points > 0 && pair->same + pair->void_runs == pair->runs && pair->runs > 0 && pair->worst <= same_time;
    if (pair->points == 0)
        return "no: no rules give both the same nodes";
    if (pair->runs == 0)
        return "no: the class cannot run both";
    if (pair->why)
        return "no: bytes differ";
    if (pair->worst > same_time)
        return "no: one is slower";
    return *ret_merge ? "yes" : "no: a run failed";
}

static void put_pair(met_text *out, const couple *pair)
{
    bool merge;
    const char *verdict = verdict_of(pair, &merge);
    met_text_format(out, pair->a == pair->b ? "twins in %s: %s\n" : "%s and %s: %s\n", pair->a->id,
                    pair->a == pair->b ? verdict : pair->b->id, verdict);
    if (pair->points > 0)
        met_text_format(out, "  %u points, %u runs, %u of the same bytes, %u void; %s\n", (unsigned)pair->points, (unsigned)pair->runs,
                        (unsigned)pair->same, (unsigned)pair->void_runs, pair->timed ? "both measured" : "times of both are not measured");
    if (pair->why)
        met_text_format(out, "  %s\n", pair->why);
}

/* One a line. */
static void put_json_pair(met_json *json, const couple *pair)
{
    static const met_json_field counts[] = {
        { "points", offsetof(couple, points), MET_JSON_U32 },   { "runs", offsetof(couple, runs), MET_JSON_U32 },
        { "same", offsetof(couple, same), MET_JSON_U32 },       { "void", offsetof(couple, void_runs), MET_JSON_U32 },
        { "timed", offsetof(couple, timed), MET_JSON_U32 },     { 0 },
    };
    bool merge;
    const char *verdict = verdict_of(pair, &merge);
    if (!json->empty)
        met_json_line(json, 0);
    met_json_open(json, NULL, '{');
    met_json_put_string(json, "a", pair->a->id);
    met_json_put_string(json, "b", pair->b->id);
    met_json_put_flag(json, "merge", merge);
    met_json_put_string(json, "verdict", verdict);
    met_json_put_fields(json, counts, pair);
    met_json_put_string(json, "why", pair->why ? pair->why : "");
    met_json_close(json, '}');
}

static bool same_kernels(const met_name_list *a, const met_name_list *b)
{
    return a->count == b->count && (a->count == 0 || !strcmp(a->names[0], b->names[0]));
}

/* What differs by a lever is another numerics point: no question of merging. */
static bool is_equation(const met_rule *rule)
{
    return rule->tag != MET_TAG_DIFFERS;
}

static couple compare_families(const promoter *p, const met_family *a, const met_family *b)
{
    couple pair = { .a = a, .b = b };
    for (uint32_t r = 0; r < p->hardware->rule_count; r++) {
        for (uint32_t s = 0; s < p->hardware->rule_count; s++) {
            const met_rule *x = p->hardware->rules[r], *y = p->hardware->rules[s];
            bool twins = a != b || (r < s && !same_kernels(&x->kernels, &y->kernels)); /* within a family, of two kernels */
            if (twins && is_equation(x) && is_equation(y) && names_kernel_of(x, a) && names_kernel_of(y, b))
                compare_rules(p, &pair, x, y);
        }
    }
    compare_times(p, &pair);
    return pair;
}

static const met_family *family_named(const promoter *p, const char *name)
{
    for (uint32_t f = 0; f < p->hardware->family_count; f++)
        if (!strcmp(p->hardware->families[f]->id, name))
            return p->hardware->families[f];
    met_diag *d = met_diag_add(p->session, MET_DIAG_usage, (met_span){ 0, 0, 0 }, "`%s` has no family `%s`", p->hardware->id, name);
    met_text list = met_text_new(p->session->arena);
    for (uint32_t f = 0; f < p->hardware->family_count; f++)
        met_text_format(&list, "%s%s", f ? ", " : "", p->hardware->families[f]->id);
    met_diag_help(d, "its families are %s", met_text_done(&list));
    return NULL;
}

/* The class that was asked for, or the best that this machine has. */
static bool find_class(promoter *p)
{
    const char *best = met_cpu_class(p->session, "cpu");
    p->hardware = p->auditing->only ? p->auditing->only : best ? met_lkb_hardware(p->auditing->lkb, best) : NULL;
    if (p->hardware && p->hardware->class_name && met_cpu_can_run(p->session, p->hardware->class_name)) {
        p->class = met_class_find(p->hardware->class_name);
        return true;
    }
    met_diag_add(p->session, MET_DIAG_hardware, (met_span){ 0, 0, 0 }, "kernels of `%s` cannot be run here",
                 p->hardware ? p->hardware->id : "this machine");
    return false;
}

/* Pairs of families that were asked for; of all pairs, those that have something in common. */
static const couple *compare_all(const promoter *p, const char *a, const char *b, size_t *ret_count)
{
    MET_VEC(couple) found = { 0 };
    for (uint32_t f = 0; f < p->hardware->family_count; f++) {
        for (uint32_t g = f; g < p->hardware->family_count; g++) {
            const met_family *x = p->hardware->families[f], *y = p->hardware->families[g];
            bool asked = !a || (!strcmp(x->id, a) && !strcmp(y->id, b)) || (!strcmp(x->id, b) && !strcmp(y->id, a));
            if (!asked)
                continue;
            couple pair = compare_families(p, x, y);
            if (a || pair.points > 0)
                MET_PUSH(p->session->arena, &found, pair);
        }
    }
    *ret_count = found.count;
    return found.at;
}

static const char *text_of(met_arena *arena, size_t count, const couple *pairs)
{
    met_text text = met_text_new(arena);
    for (size_t i = 0; i < count; i++)
        put_pair(&text, &pairs[i]);
    if (count == 0)
        met_text_put(&text, "no rules give two kernels the same nodes\n");
    return met_text_done(&text);
}

static const char *json_of(met_arena *arena, size_t count, const couple *pairs)
{
    met_text text = met_text_new(arena);
    met_json json = met_json_new(&text);
    met_json_open(&json, NULL, '[');
    for (size_t i = 0; i < count; i++)
        put_json_pair(&json, &pairs[i]);
    met_json_close(&json, ']');
    return met_json_done(&json);
}

const char *met_auditing_promote(met_auditing *auditing, const char *a, const char *b, bool json, bool *ret_all)
{
    promoter p = { .auditing = auditing, .session = auditing->session };
    met_target target;
    const char *text = NULL;
    *ret_all = true;
    if (!find_class(&p) || (a && (!family_named(&p, a) || !family_named(&p, b))))
        return NULL;
    met_evidence *evidence = met_evidence_open(p.session, auditing->request.store, false);
    p.compiler = evidence ? met_compiler_new(p.session, &(met_compiler_options){ .cache = auditing->request.cache }) : NULL;
    if (p.compiler && met_target_find(p.session, auditing->lkb, p.hardware->class_name, NULL, &target))
        p.rows = met_evidence_rows(evidence, target.device, &p.row_count);
    p.row_count = p.rows ? p.row_count : 0;
    if (p.compiler) {
        size_t count;
        const couple *pairs = compare_all(&p, a, b, &count);
        for (size_t i = 0; i < count; i++) {
            bool merge;
            verdict_of(&pairs[i], &merge);
            *ret_all = *ret_all && merge;
        }
        text = (json ? json_of : text_of)(p.session->arena, count, pairs);
    }
    met_compiler_free(p.compiler);
    met_evidence_close(evidence);
    return text;
}
