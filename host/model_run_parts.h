/* Inside of host/model_run.c and host/model_diff.c: one prompt's course through a model. */
#ifndef MET_HOST_MODEL_RUN_PARTS_H
#define MET_HOST_MODEL_RUN_PARTS_H

#include "base/session.h"
#include "host/generate.h"
#include "host/model_run.h"
#include "ir/circuit.h"

typedef struct met_model_weights {
    size_t count;
    met_named_tensor *at;
} met_model_weights;

struct met_model_run {
    met_session *session;
    met_model_run_request request;
    met_model_weights weights;
    uint64_t vocabulary;
    met_generator *generator;
};

/* One run of the generator: what was run, and how that went. */
typedef struct met_course_step {
    const met_subject *subject;
    const met_outcome *outcome;
} met_course_step;

typedef struct met_course {
    met_transcript transcript;
    size_t step_count; /* prefill, then decode; one for each token of the transcript, at least one */
    const met_course_step *steps;
} met_course;

/* Runs a prompt and `count` tokens: those of `fed`, or, if that is NULL, those that the model chooses. The last one is not
 * run. False with diagnostics. */
bool met_course_run(met_model_run *run, const met_prompt *prompt, size_t count, const uint32_t *fed, met_course *ret_course);

/* The parameters of a model from a seed. False with diagnostics. */
bool met_model_weights_make(const met_circuit *prefill, const met_circuit *decode, uint64_t seed, met_model_weights *ret_weights);

/* Derives how far the scores of prompts may be apart; by prompt the courses of both sides, which are of one model with the same
 * weights in the same formats. */
void met_model_budget(size_t count, const met_course *of_a, const met_course *of_b, met_transcript_diff *report);

/* One course for each prompt, as what the side says. */
met_transcript_set met_model_run_set(const met_model_run *run, const met_prompt_set *prompts, const met_course *courses);
/* "f32", and what else of the point is said. */
const char *met_model_run_point(const met_model_run *run);
/* Whether so many tokens after so many prompts can be asked for. False with a diagnostic. */
bool met_model_run_allows(const met_model_run *run, const met_prompt_set *prompts, uint64_t tokens);

#endif
