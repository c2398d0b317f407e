#include "cli/model_options.h"

#include "cli/run_options.h"
#include "cli/values.h"
#include "host/plan_pair.h"

enum { PROMPTS = 4, TOKENS = 16 /* unless something else is asked for */ };

const cli_option cli_model_options[] = {
    { "toy", 0, NULL, "the small sizes of the model's architecture, with all that it has" },
    { "config", 0, "FILE", "sizes from a config.json, or the folder of one" },
    { "layers", 0, "N", "this many layers instead of the model's own" },
    { "kernels", 0, "DIR", "where circuits/ and models/ are, instead of the installed ones" },
    { "checkpoint", 0, "FILE", "weights: a safetensors file, an index of several, or their folder" },
    { "seed", 0, "N", "of weights that no file gives, and of prompts that are made" },
    { "prompt", 0, "N,N,…", "a prompt: numbers of tokens; may be given several times" },
    { "prompts", 0, "FILE", "prompts, one a line" },
    { "prompt-count", 0, "N", "how many prompts are made, without these two: 4, of 4 to 8 tokens" },
    { "tokens", 0, "N", "tokens after each prompt: 16" },
    { "numerics", 0, "POINT", "of the expansion: real, float or pow2" },
    { "work-limit", 0, "N", "scalar operations that one run may take" },
    { "cache", 0, "DIR", "of compiled kernels" },
    { 0 },
};

bool cli_read_model_run(const cli_request *request, const char *model, met_model_run_request *ret_run)
{
    const char *kernels = cli_value(request, "kernels"), *cache = cli_value(request, "cache");
    *ret_run = (met_model_run_request){ .model = { .name = model, .kernels = kernels, .config = cli_value(request, "config"),
                                                   .toy = cli_flag(request, "toy"), .layers = cli_value(request, "layers") },
                                        .way = { .kernels = kernels, .cache = cache, .threads = 1 } };
    ret_run->checkpoint = cli_value(request, "checkpoint");
    if (ret_run->model.toy && ret_run->model.config) {
        cli_usage_error(request, "--toy and --config both give sizes");
        return false;
    }
    if (!met_model_exists(kernels, model)) {
        cli_usage_error(request, "there is no model `%s`: models are %s", model, met_model_list(request->session, kernels));
        return false;
    }
    return cli_read_eval_options(request, &ret_run->options) && cli_read_count(request, "seed", &ret_run->seed);
}

bool cli_read_model_way(const cli_request *request, const char *text, met_way *way)
{
    bool runs = true;
    if (!met_way_parse(request->session, text ? text : "fused@cpu", way) ||
        (met_way_lowers(way) && !met_way_runs(request->session, way, &runs)))
        return false;
    way->emulate = !runs;
    return true;
}

bool cli_read_tokens(const cli_request *request, uint64_t *ret_tokens)
{
    *ret_tokens = TOKENS;
    return cli_read_count(request, "tokens", ret_tokens);
}

const met_prompt_set *cli_read_prompts(const cli_request *request, const met_model_run *run, uint64_t seed)
{
    static const char *const sources[] = { "prompt", "prompts", "prompt-count" };
    const char *given = NULL;
    uint64_t count = PROMPTS, vocabulary = met_model_run_vocabulary(run);
    for (size_t k = 0; k < sizeof sources / sizeof *sources; k++) {
        if (!cli_value(request, sources[k]))
            continue;
        if (given) {
            cli_usage_error(request, "--%s and --%s both say which prompts", given, sources[k]);
            return NULL;
        }
        given = sources[k];
    }
    if (!cli_read_count(request, "prompt-count", &count))
        return NULL;
    size_t text_count;
    const char *const *texts = cli_values(request, "prompt", &text_count);
    if (text_count > 0)
        return met_prompts_of_texts(request->session, text_count, texts, vocabulary);
    const char *file = cli_value(request, "prompts");
    return file ? met_prompts_of_file(request->session, file, vocabulary) : met_prompts_of_seed(request->session, seed, count, vocabulary);
}
