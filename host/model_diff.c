#include "host/model_diff.h"

#include <inttypes.h>
#include <string.h>

#include "base/diag.h"
#include "host/model_run_parts.h"
#include "host/parity.h"

static const met_span nowhere;

typedef struct differ {
    met_session *session;
    met_model_run *a, *b;
    const met_prompt_set *prompts;
    size_t tokens;
    uint64_t seed;
    met_course *of_a, *of_b, *fed_to_b; /* by prompt */
} differ;

/* --- Running --- */

/* Side b runs freely, and where it then chose other tokens than a, once more with a's. */
static bool run_all(differ *d)
{
    met_arena *arena = d->session->arena;
    d->of_a = MET_NEW_ARRAY(arena, met_course, d->prompts->count);
    d->of_b = MET_NEW_ARRAY(arena, met_course, d->prompts->count);
    d->fed_to_b = MET_NEW_ARRAY(arena, met_course, d->prompts->count);
    for (size_t p = 0; p < d->prompts->count; p++) {
        const met_prompt *prompt = &d->prompts->at[p];
        if (!met_course_run(d->a, prompt, d->tokens, NULL, &d->of_a[p]) || !met_course_run(d->b, prompt, d->tokens, NULL, &d->of_b[p]))
            return false;
        const uint32_t *fed = d->of_a[p].transcript.tokens;
        d->fed_to_b[p] = d->of_b[p];
        if (memcmp(fed, d->of_b[p].transcript.tokens, d->tokens * sizeof *fed) != 0 &&
            !met_course_run(d->b, prompt, d->tokens, fed, &d->fed_to_b[p]))
            return false;
    }
    return true;
}

/* --- What is promised --- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Why the sides do not compute the same over the reals; NULL if they do. */
static const char *other_function(const met_model_run *a, const met_model_run *b)
{
    const met_model_request *m = &a->request.model, *n = &b->request.model;
    if (!same_text(m->name, n->name) || !same_text(m->config, n->config) || m->toy != n->toy || !same_text(m->layers, n->layers) ||
        !same_text(m->kernels, n->kernels))
        return "they are two models";
    return same_text(a->request.checkpoint, b->request.checkpoint) && a->request.seed == b->request.seed ? NULL : "the weights are others";
}

static const char *dtype_of(const met_model_run *run)
{
    return run->request.options.dtype ? run->request.options.dtype : "f32";
}

/* The weakest of the promises of all runs, the first one's reason; and whether what the runs keep is the same. */
static void compare_runs(const differ *d, met_transcript_diff *report)
{
    static const met_transcript_promise promises[] = { [MET_EXPECT_SAME] = MET_TRANSCRIPT_SAME, [MET_EXPECT_OPEN] = MET_TRANSCRIPT_OPEN,
                                                       [MET_EXPECT_VOID] = MET_TRANSCRIPT_VOID };
    report->kept_compared = report->kept_same = true;
    for (size_t p = 0; p < d->prompts->count; p++) {
        for (size_t s = 0; s < d->of_a[p].step_count; s++) {
            const met_course_step *a = &d->of_a[p].steps[s], *b = &d->fed_to_b[p].steps[s];
            const met_parity *parity = met_outcome_parity(a->subject, a->outcome, b->outcome);
            report->kept_same = report->kept_same && parity->same;
            if (report->why && (report->promise != MET_TRANSCRIPT_SAME || parity->expected == MET_EXPECT_SAME))
                continue;
            report->promise = promises[parity->expected];
            report->why = parity->why;
        }
    }
}

/* What is promised, before a byte is looked at, and what may be derived. */
static void find_promise(const differ *d, met_transcript_diff *report)
{
    const char *other = other_function(d->a, d->b);
    bool same_point = same_text(met_model_run_point(d->a), met_model_run_point(d->b));
    report->why = other ? other : same_point ? NULL : "the numerics points are others";
    if (!report->why)
        compare_runs(d, report);
    report->tolerance_why = other ? other : same_text(dtype_of(d->a), dtype_of(d->b)) ? NULL : "weights in other formats are other weights";
    if (!report->tolerance_why && !met_transcript_diff_same(report))
        met_model_budget(d->prompts->count, d->of_a, d->fed_to_b, report);
}

/* --- Controls --- */

/* A number below `below` that seed and use alone decide. */
static size_t drawn(const differ *d, size_t use, size_t below)
{
    double value;
    met_fill("normal", d->seed, use, below, 1, &value);
    return (size_t)value;
}

static uint32_t another(const differ *d, uint32_t token)
{
    return (uint32_t)((token + UINT64_C(1)) % d->a->vocabulary);
}

static const uint32_t *changed(const differ *d, size_t count, const uint32_t *tokens, size_t position)
{
    uint32_t *copy = met_arena_copy(d->session->arena, tokens, count, sizeof *tokens);
    copy[position] = another(d, copy[position]);
    return copy;
}

/* A transcript of b against itself with one token changed, all else as it is. */
static met_transcript_control change_transcript(const differ *d, const met_transcript *before)
{
    met_transcript_control c = { MET_CONTROL_TRANSCRIPT, 'b', drawn(d, 0, d->prompts->count), drawn(d, 1, d->tokens), 0, false };
    met_transcript *after = met_arena_copy(d->session->arena, before, d->prompts->count, sizeof *before);
    after[c.prompt].tokens = changed(d, d->tokens, after[c.prompt].tokens, c.position);
    met_transcript_tally tally = met_transcript_tally_of(d->session, d->prompts->count, before, after);
    c.found = tally.matches[c.prompt].same;
    c.passed = tally.diverged == 1 && tally.mean < 1 && c.found == c.position;
    return c;
}

/* A side runs a prompt again; for PROMPT with one token changed. Rows before it may change too where the tokens of a prompt
 * share something, as one scale for all of them. */
static bool run_again(const differ *d, met_control_kind kind, char side, met_transcript_control *ret_control)
{
    size_t p = drawn(d, 2, d->prompts->count);
    met_prompt prompt = d->prompts->at[p];
    met_transcript_control c = { kind, side, p, drawn(d, 3, prompt.count), 0, false };
    met_course course;
    if (kind == MET_CONTROL_PROMPT)
        prompt.tokens = changed(d, prompt.count, prompt.tokens, c.position);
    if (!met_course_run(side == 'a' ? d->a : d->b, &prompt, 0, NULL, &course))
        return false;
    met_transcript before = (side == 'a' ? d->of_a : d->of_b)[p].transcript;
    before.row_count = prompt.count; /* those of the prompt */
    c.found = met_scores_first_difference(&before, &course.transcript);
    c.passed = kind == MET_CONTROL_REPEAT ? c.found == prompt.count :
                                            met_score_compare(&before, &course.transcript, c.position).different > 0;
    *ret_control = c;
    return true;
}

static bool run_controls(const differ *d, met_transcript_diff *report)
{
    static const struct {
        met_control_kind kind;
        char side;
    } runs[] = { { MET_CONTROL_PROMPT, 'a' }, { MET_CONTROL_PROMPT, 'b' }, { MET_CONTROL_REPEAT, 'a' }, { MET_CONTROL_REPEAT, 'b' } };
    enum { RUNS = sizeof runs / sizeof *runs };
    met_transcript_control *controls = MET_NEW_ARRAY(d->session->arena, met_transcript_control, 1 + RUNS);
    controls[0] = change_transcript(d, report->b.at);
    for (size_t k = 0; k < RUNS; k++)
        if (!run_again(d, runs[k].kind, runs[k].side, &controls[1 + k]))
            return false;
    report->control_count = 1 + RUNS;
    report->controls = controls;
    return true;
}

/* --- All of it --- */

static bool check(const differ *d, uint64_t tokens)
{
    if (d->a->vocabulary == d->b->vocabulary)
        return met_model_run_allows(d->a, d->prompts, tokens);
    met_diag *diag = met_diag_add(d->session, MET_DIAG_model, nowhere, "a knows %" PRIu64 " tokens and b %" PRIu64,
                                  d->a->vocabulary, d->b->vocabulary);
    met_diag_help(diag, "transcripts are comparable between models with one vocabulary");
    return false;
}

const met_transcript_diff *met_model_diff_run(met_session *session, met_model_run *a, met_model_run *b, const met_prompt_set *prompts,
                                              uint64_t tokens, uint64_t seed)
{
    differ d = { .session = session, .a = a, .b = b, .prompts = prompts, .tokens = (size_t)tokens, .seed = seed };
    if (!check(&d, tokens) || !run_all(&d))
        return NULL;
    met_transcript_diff *report = MET_NEW(session->arena, met_transcript_diff);
    *report = (met_transcript_diff){ .a = met_model_run_set(a, prompts, d.of_a), .b = met_model_run_set(b, prompts, d.of_b),
                                     .fed_to_b = met_model_run_set(b, prompts, d.fed_to_b).at, .promise = MET_TRANSCRIPT_OPEN };
    report->tally = met_transcript_tally_of(session, prompts->count, report->a.at, report->b.at);
    find_promise(&d, report);
    return run_controls(&d, report) ? report : NULL;
}
