#include "host/model_run.h"

#include <inttypes.h>
#include <string.h>

#include "base/diag.h"
#include "host/checkpoint.h"
#include "host/model_run_parts.h"
#include "host/plan_pair.h"
#include "host/planning.h"

static const met_span nowhere;

/* --- The model --- */

static const met_circuit *circuit_in_mode(void *context, const char *mode)
{
    met_model_run *run = context;
    met_model_request request = run->request.model;
    request.mode = mode;
    request.toy_grows = request.toy;
    return met_model_load(run->session, &request);
}

/* The number of scores for a token. */
static bool find_vocabulary(met_model_run *run, const met_circuit *prefill)
{
    const met_edge *scores = prefill->output_count ? &prefill->edges[prefill->outputs[0].id] : NULL;
    if (scores && scores->rank > 0 && met_circuit_size(prefill, scores->axes[scores->rank - 1], &run->vocabulary))
        return true;
    met_diag *diag = met_diag_add(run->session, MET_DIAG_unbound, nowhere, "nothing says how many tokens the model knows");
    met_diag_help(diag, "--toy runs a model at small sizes, --config FILE at those of its config.json");
    return false;
}

static bool load_weights(met_model_run *run, const met_circuit *prefill, const met_circuit *decode)
{
    if (!run->request.checkpoint)
        return met_model_weights_make(prefill, decode, run->request.seed, &run->weights);
    /* parameters do not depend on the number of tokens, but a checkpoint wants all sizes bound */
    const met_circuit *bound = met_circuit_bind(prefill, "n=1");
    const met_named_tensor *found = bound ? met_checkpoint_load(bound, run->request.checkpoint, run->request.model.kernels, &run->weights.count) : NULL;
    if (found)
        run->weights.at = met_arena_copy(run->session->arena, found, run->weights.count, sizeof *found);
    return found != NULL;
}

static bool start(met_model_run *run)
{
    met_way *way = &run->request.way;
    const met_circuit *prefill = circuit_in_mode(run, "prefill"), *decode = prefill ? circuit_in_mode(run, "decode") : NULL;
    if (!decode || !find_vocabulary(run, prefill) || !load_weights(run, prefill, decode))
        return false;
    met_planning planning = { .kernels = way->kernels };
    if (met_way_lowers(way) && !way->lkb && !(way->lkb = met_planning_blueprint(run->session, &planning)))
        return false; /* read once instead of before every token */
    met_generate_request request = { circuit_in_mode, run, run->weights.count, run->weights.at, run->request.options, *way };
    run->generator = met_generator_new(run->session, &request);
    return run->generator != NULL;
}

met_model_run *met_model_run_new(met_session *session, const met_model_run_request *request)
{
    met_model_run *run = MET_NEW(session->arena, met_model_run);
    *run = (met_model_run){ .session = session, .request = *request };
    return start(run) ? run : NULL;
}

void met_model_run_free(met_model_run *run)
{
    if (!run)
        return;
    met_generator_free(run->generator);
    run->generator = NULL;
}

uint64_t met_model_run_vocabulary(const met_model_run *run)
{
    return run->vocabulary;
}

const met_tensor *met_model_run_weight(const met_model_run *run, const char *name)
{
    for (size_t w = 0; w < run->weights.count; w++)
        if (strcmp(run->weights.at[w].name, name) == 0)
            return run->weights.at[w].tensor;
    return NULL;
}

/* --- One prompt --- */

/* Scores of all runs, one behind the other. */
typedef struct score_rows {
    met_transcript *t;
    double *values;
    unsigned char *bytes;
} score_rows;

static bool take_rows(const met_model_run *run, score_rows *rows, size_t expected)
{
    const met_outcome *outcome = met_generator_outcome(run->generator);
    const met_tensor *scores = outcome->result->arrays[0].tensor;
    met_transcript *t = rows->t;
    if (scores->count != expected * t->vocabulary) {
        met_diag_add(run->session, MET_DIAG_run, nowhere, "this model does not give scores for every token");
        return false;
    }
    if (!rows->bytes) {
        size_t total = (t->prompt_count + t->count) * t->vocabulary;
        rows->values = MET_NEW_ARRAY(run->session->arena, double, total);
        rows->bytes = met_arena_alloc(run->session->arena, total, outcome->bytes[0].size);
        t->format = scores->format;
        t->size = outcome->bytes[0].size;
    }
    memcpy(rows->values + t->row_count * t->vocabulary, scores->values, scores->count * sizeof *scores->values);
    memcpy(rows->bytes + t->row_count * t->vocabulary * t->size, outcome->bytes[0].at, scores->count * t->size);
    t->row_count += expected;
    return true;
}

bool met_course_run(met_model_run *run, const met_prompt *prompt, size_t count, const uint32_t *fed, met_course *ret_course)
{
    met_arena *arena = run->session->arena;
    met_course_step *steps = MET_NEW_ARRAY(arena, met_course_step, count ? count : 1);
    uint32_t *tokens = MET_NEW_ARRAY(arena, uint32_t, count);
    *ret_course = (met_course){ .transcript = { .prompt_count = prompt->count, .prompt = prompt->tokens, .count = count,
                                                .tokens = tokens, .vocabulary = run->vocabulary },
                                .steps = steps };
    score_rows rows = { .t = &ret_course->transcript };
    for (size_t s = 0; s == 0 || s < count; s++) {
        bool good = s == 0 ? met_generator_prompt(run->generator, prompt->count, prompt->tokens) :
                             met_generator_step(run->generator, tokens[s - 1]);
        if (!good || !take_rows(run, &rows, s == 0 ? prompt->count : 1))
            return false;
        steps[s] = (met_course_step){ met_generator_subject(run->generator), met_generator_outcome(run->generator) };
        ret_course->step_count = s + 1;
        if (s < count)
            tokens[s] = fed ? fed[s] : met_generator_greedy(run->generator);
    }
    ret_course->transcript.scores = rows.values;
    ret_course->transcript.bytes = rows.bytes;
    return true;
}

bool met_model_run_allows(const met_model_run *run, const met_prompt_set *prompts, uint64_t tokens)
{
    uint64_t rows = 0;
    for (size_t p = 0; p < prompts->count; p++)
        rows += prompts->at[p].count + (tokens < MET_TOKENS_LIMIT ? tokens : MET_TOKENS_LIMIT);
    bool counts = tokens >= 1 && tokens <= MET_TOKENS_LIMIT && prompts->count * tokens <= MET_TOKEN_RUNS_LIMIT;
    if (counts && rows <= MET_SCORES_LIMIT / run->vocabulary)
        return true;
    met_diag *diag = met_diag_add(run->session, MET_DIAG_prompt, nowhere, "%" PRIu64 " tokens cannot be asked for after %zu prompts%s", tokens,
                                  prompts->count, counts ? " of a model with so many scores" : "");
    met_diag_help(diag, "after each prompt 1 to %" PRIu64 ", in all up to %" PRIu64 ", with up to %" PRIu64 " scores", MET_TOKENS_LIMIT,
                  MET_TOKEN_RUNS_LIMIT, MET_SCORES_LIMIT);
    return false;
}

/* --- Who it is --- */

const char *met_model_run_point(const met_model_run *run)
{
    const met_eval_options *o = &run->request.options;
    const char *const fields[][2] = { { "numerics ", o->numerics }, { "trees ", o->tree }, { "division ", o->division }, { "products ", o->dot } };
    met_text text = met_text_new(run->session->arena);
    met_text_put(&text, o->dtype ? o->dtype : "f32");
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
        if (fields[k][1])
            met_text_format(&text, ", %s%s", fields[k][0], fields[k][1]);
    return met_text_done(&text);
}

static met_transcript_side side_of(const met_model_run *run, size_t count, const met_course *courses)
{
    const met_model_request *m = &run->request.model;
    met_text model = met_text_new(run->session->arena), weights = met_text_new(run->session->arena);
    met_text_put(&model, m->name ? m->name : "a model");
    if (m->toy)
        met_text_put(&model, " at toy sizes");
    if (m->config)
        met_text_format(&model, " as %s says", m->config);
    if (m->layers)
        met_text_format(&model, " with %s layers", m->layers);
    if (run->request.checkpoint)
        met_text_format(&weights, "weights of %s", run->request.checkpoint);
    else
        met_text_format(&weights, "weights from seed %" PRIu64, run->request.seed);
    met_transcript_side side = { met_text_done(&model), met_text_done(&weights), courses[0].steps[0].outcome->name, met_model_run_point(run), false };
    for (size_t p = 0; p < count; p++)
        for (size_t s = 0; s < courses[p].step_count; s++)
            side.underflow = side.underflow || courses[p].steps[s].outcome->underflow;
    return side;
}

met_transcript_set met_model_run_set(const met_model_run *run, const met_prompt_set *prompts, const met_course *courses)
{
    met_transcript *list = MET_NEW_ARRAY(run->session->arena, met_transcript, prompts->count);
    for (size_t p = 0; p < prompts->count; p++)
        list[p] = courses[p].transcript;
    return (met_transcript_set){ side_of(run, prompts->count, courses), prompts->source, prompts->digest, prompts->count, list };
}

const met_transcript_set *met_model_run_speak(met_model_run *run, const met_prompt_set *prompts, uint64_t tokens)
{
    met_arena *arena = run->session->arena;
    if (!met_model_run_allows(run, prompts, tokens))
        return NULL;
    met_course *courses = MET_NEW_ARRAY(arena, met_course, prompts->count);
    for (size_t p = 0; p < prompts->count; p++)
        if (!met_course_run(run, &prompts->at[p], (size_t)tokens, NULL, &courses[p]))
            return NULL;
    met_transcript_set *set = MET_NEW(arena, met_transcript_set);
    *set = met_model_run_set(run, prompts, courses);
    return set;
}
