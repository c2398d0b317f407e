/* A model that is run token by token to see what it says: its sizes, its weights and a way of running (host/generate.h). The
 * weights are made from a seed, small and the same for every way, or come from a checkpoint. */
#ifndef MET_HOST_MODEL_RUN_H
#define MET_HOST_MODEL_RUN_H

#include "host/model.h"
#include "host/prompts.h"
#include "host/subject.h"
#include "met/transcript.h"

/* At most: values in the parameters of a model whose weights are made; tokens after a prompt; those after all prompts; scores that
 * are kept, of prompts' tokens too. */
#define MET_SEEDED_LIMIT ((uint64_t)1 << 24)
#define MET_TOKENS_LIMIT ((uint64_t)1024)
#define MET_TOKEN_RUNS_LIMIT ((uint64_t)1 << 14)
#define MET_SCORES_LIMIT ((uint64_t)1 << 27)

typedef struct met_model_run_request {
    met_model_request model;  /* its mode and whether toys grow are not read */
    const char *checkpoint;   /* path of weights; NULL: made from the seed */
    uint64_t seed;
    met_eval_options options; /* the numerics point */
    met_way way;              /* its mode is not read */
} met_model_run_request;

typedef struct met_model_run met_model_run;

/* The request's texts must live as long as the run, and the session longer. NULL with diagnostics: the model's, `unbound` for
 * sizes that nothing gives, `run` for more parameters than are made from a seed. */
met_model_run *met_model_run_new(met_session *session, const met_model_run_request *request);
void met_model_run_free(met_model_run *run);

uint64_t met_model_run_vocabulary(const met_model_run *run);
/* A parameter, to be changed before the first run; NULL if there is none. */
const met_tensor *met_model_run_weight(const met_model_run *run, const char *name);

/* What the model says after every prompt: greedily, `tokens` tokens, the first among equal scores. NULL with diagnostics. */
const met_transcript_set *met_model_run_speak(met_model_run *run, const met_prompt_set *prompts, uint64_t tokens);

#endif
