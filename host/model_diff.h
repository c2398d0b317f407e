/* Two sides of a comparison of transcripts (docs/transcripts.md): two ways or numerics points of one model, or two models with
 * one vocabulary. Runs them, feeds both the same tokens, and runs the controls. */
#ifndef MET_HOST_MODEL_DIFF_H
#define MET_HOST_MODEL_DIFF_H

#include "host/model_run.h"

/* Both runs must be of this session. `seed` chooses where the controls change a token. NULL with diagnostics: a run's, `prompt`
 * for too many tokens, `model` for two vocabularies. */
const met_transcript_diff *met_model_diff_run(met_session *session, met_model_run *a, met_model_run *b, const met_prompt_set *prompts,
                                              uint64_t tokens, uint64_t seed);

#endif
