/* met model run: what a model says after prompts, greedily, token by token. */
#include "cli/model_options.h"
#include "cli/run_options.h"
#include "cli/values.h"

static const cli_option own_options[] = {
    { "way", 0, "PLANNER@HARDWARE", "fused@cpu (the default), greedy@cpu-avx512, none@interpreter" },
    { "threads", 0, "N", "of kernels" },
    { "tiles", 0, "NAME=N,…", "of kernels: sizes of tiles by loop, q=32,x=128" },
    { "logits", 0, "N", "the N largest scores of every token that is chosen" },
    { 0 },
};

static bool read_way(const cli_request *request, met_way *way)
{
    if (!cli_read_threads(request, &way->threads))
        return false;
    way->tiles = cli_value(request, "tiles");
    return cli_read_model_way(request, cli_value(request, "way"), way);
}

enum { LOGITS = 100 /* of a token, at most */ };

static int run(const cli_request *request)
{
    met_model_run_request wanted;
    uint64_t tokens, top = 0;
    if (!cli_read_model_run(request, request->arguments[0], &wanted) || !read_way(request, &wanted.way) ||
        !cli_read_tokens(request, &tokens) || !cli_read_count_within(request, "logits", 0, LOGITS, &top))
        return CLI_BAD_INPUT;
    met_model_run *model = met_model_run_new(request->session, &wanted);
    const met_prompt_set *prompts = model ? cli_read_prompts(request, model, wanted.seed) : NULL;
    const met_transcript_set *said = prompts ? met_model_run_speak(model, prompts, tokens) : NULL;
    const char *text = !said ? NULL : (cli_flag(request, "json") ? met_transcript_set_json : met_transcript_set_text)(request->session, said, top);
    met_model_run_free(model);
    return cli_answer(request, NULL, text);
}

static const cli_option *const options[] = { own_options, cli_model_options, cli_point_options, cli_common_options, NULL };

const cli_verb cli_model_run = {
    .noun = "model", .verb = "run", .arguments = "MODEL",
    .summary = "what a model says after prompts, greedily, token by token",
    .options = options, .run = run,
};
