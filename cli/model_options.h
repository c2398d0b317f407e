/* What the verbs that run models token by token have in common: sizes, weights and prompts. */
#ifndef MET_CLI_MODEL_OPTIONS_H
#define MET_CLI_MODEL_OPTIONS_H

#include "cli/cli.h"
#include "host/model_run.h"

/* --toy --layers --kernels --prompt --prompts --prompt-count --tokens --seed --threads --work-limit --cache */
extern const cli_option cli_model_options[];

/* What they say of a model and how it is run, on top of which a verb puts what is its own. False with a diagnostic. */
bool cli_read_model_run(const cli_request *request, const char *model, met_model_run_request *ret_run);
/* PLANNER@HARDWARE, or fused@cpu for NULL. Hardware for which plans are made, but that this machine is not, is emulated. False with
 * diagnostics. */
bool cli_read_model_way(const cli_request *request, const char *text, met_way *way);
/* --tokens; 16 without it. */
bool cli_read_tokens(const cli_request *request, uint64_t *ret_tokens);
/* The prompts that the options say, for a run; without any, made from the seed. NULL with diagnostics. */
const met_prompt_set *cli_read_prompts(const cli_request *request, const met_model_run *run, uint64_t seed);

#endif
