/* Generating: a model run over a prompt in its mode `prefill` and then token by token in its mode `decode`, in one way of
 * running (host/subject.h). What decode appends to or replaces, its states, is carried from run to run; the first ones are
 * what prefill computes at the places where decode would append, or make a state anew. Where the two modes do the same
 * arithmetic besides, a prompt and steps give the bytes of a longer prompt.
 *
 * The caches grow, so every run has sizes of its own; the sources of its kernels do not depend on sizes and are compiled
 * once. */
#ifndef MET_HOST_GENERATE_H
#define MET_HOST_GENERATE_H

#include "host/subject.h"

typedef struct met_generator met_generator;

typedef struct met_generate_request {
    /* The model in a mode; what is bound there are all sizes but the number of tokens and the length of caches, which the
     * arrays bind. The first input is the ids, the first output the scores: a row of the vocabulary's size a token. NULL with
     * diagnostics. */
    const met_circuit *(*circuit)(void *context, const char *mode);
    void *context;
    size_t weight_count;
    const met_named_tensor *weights; /* every parameter, by name */
    met_eval_options options;        /* the numerics point */
    met_way way;                     /* its mode is set by each run */
} met_generate_request;

/* Prefill with an output more for every state of decode, in their order: what decode begins with. NULL with diagnostics: `run` where
 * prefill does not make it. */
const met_circuit *met_generate_prefill(met_session *session, const met_circuit *prefill, const met_circuit *decode);

/* The request's names and arrays must live as long as it. NULL with diagnostics: a circuit's, or `run` where prefill does
 * not make what decode keeps. */
met_generator *met_generator_new(met_session *session, const met_generate_request *request);
void met_generator_free(met_generator *generator);

/* Forgets everything and runs a prompt of at least one token. False with diagnostics. */
bool met_generator_prompt(met_generator *generator, size_t count, const uint32_t *tokens);
/* Runs one more token. False with diagnostics. */
bool met_generator_step(met_generator *generator, uint32_t token);

/* How the last run went; its first array has the scores. NULL before the first. */
const met_outcome *met_generator_outcome(const met_generator *generator);
/* What the last run ran. */
const met_subject *met_generator_subject(const met_generator *generator);
/* The token with the largest score after the last one that was run, the first among equals. */
uint32_t met_generator_greedy(const met_generator *generator);
/* The bytes of that row of scores. */
met_result_bytes met_generator_scores(const met_generator *generator, size_t *ret_count);

#endif
