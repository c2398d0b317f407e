/* met model diff: the transcripts of two ways of one model, or of two models. */
#include "cli/model_options.h"
#include "cli/run_options.h"
#include "cli/values.h"
#include "host/model_diff.h"

static const cli_option own_options[] = {
    { "a", 0, "PLANNER@HARDWARE", "one way, fused@cpu: greedy@cpu-avx512, none@interpreter" },
    { "b", 0, "PLANNER@HARDWARE", "the other way, that of a" },
    { "threads", 0, "N", "of kernels" },
    { 0 },
};

/* For one side, in place of what both have. */
static const cli_option side_options[] = {
    { "dtype-a", 0, "DTYPE", "format of edges that nobody stated, a alone" },
    { "numerics-a", 0, "POINT", "real, float or pow2, a alone" },
    { "division-a", 0, "PLACE", "of normalizers before a contraction, a alone" },
    { "tiles-a", 0, "NAME=N,…", "sizes of tiles by loop, a alone" },
    { "seed-a", 0, "N", "of the weights, a alone" },
    { "dtype-b", 0, "DTYPE", "format of edges that nobody stated, b alone" },
    { "numerics-b", 0, "POINT", "real, float or pow2, b alone" },
    { "division-b", 0, "PLACE", "of normalizers before a contraction, b alone" },
    { "tiles-b", 0, "NAME=N,…", "sizes of tiles by loop, b alone" },
    { "seed-b", 0, "N", "of the weights, b alone" },
    { "checkpoint-b", 0, "FILE", "weights, b alone" },
    { "config-b", 0, "FILE", "sizes, b alone" },
    { "layers-b", 0, "N", "layers, b alone" },
    { 0 },
};

static void put(const cli_request *request, const char *name, char side, const char **at)
{
    const char *value = cli_side_value(request, name, side);
    *at = value ? value : *at;
}

/* What a side has of its own, on top of what both have. False with diagnostics. */
static bool read_side(const cli_request *request, char side, met_model_run_request *run)
{
    char seed[] = { 's', 'e', 'e', 'd', '-', side, 0 }, way[] = { side, 0 };
    const char *text = cli_value(request, way);
    text = text ? text : cli_value(request, "a");
    put(request, "dtype", side, &run->options.dtype);
    put(request, "numerics", side, &run->options.numerics);
    put(request, "tree", side, &run->options.tree);
    put(request, "division", side, &run->options.division);
    put(request, "dot", side, &run->options.dot);
    put(request, "tiles", side, &run->way.tiles);
    if (side == 'b') {
        put(request, "checkpoint", side, &run->checkpoint);
        put(request, "config", side, &run->model.config);
        put(request, "layers", side, &run->model.layers);
    }
    if (!cli_read_count(request, seed, &run->seed) || !cli_read_threads(request, &run->way.threads))
        return false;
    return cli_read_model_way(request, text, &run->way);
}

/* Whether anything tells a from b. */
static bool has_sides(const cli_request *request)
{
    bool any = request->argument_count > 1 || cli_value(request, "b");
    const cli_option *const tables[] = { side_options, cli_side_point_options };
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const cli_option *option = tables[t]; option->name; option++)
            any = any || cli_value(request, option->name);
    if (cli_flag(request, "toy") && cli_value(request, "config-b")) {
        cli_usage_error(request, "--toy and --config-b both give sizes");
        return false;
    }
    if (!any)
        cli_usage_error(request, "nothing tells a from b: --b PLANNER@HARDWARE says another way, a second MODEL another model");
    return any;
}

static const met_transcript_diff *compare(const cli_request *request, const met_model_run_request *of_a, const met_model_run_request *of_b,
                                     uint64_t tokens, uint64_t seed)
{
    met_session *session = request->session;
    met_model_run *a = met_model_run_new(session, of_a), *b = a ? met_model_run_new(session, of_b) : NULL;
    const met_prompt_set *prompts = b ? cli_read_prompts(request, a, seed) : NULL;
    const met_transcript_diff *diff = prompts ? met_model_diff_run(session, a, b, prompts, tokens, seed) : NULL;
    met_model_run_free(a);
    met_model_run_free(b);
    return diff;
}

static int diff(const cli_request *request)
{
    met_model_run_request a, b;
    uint64_t tokens, seed = 0;
    const char *model = request->arguments[0], *other = request->argument_count > 1 ? request->arguments[1] : model;
    if (!has_sides(request) || !cli_read_model_run(request, model, &a) || !cli_read_model_run(request, other, &b) ||
        !cli_read_count(request, "seed", &seed) || !read_side(request, 'a', &a) || !read_side(request, 'b', &b) ||
        !cli_read_tokens(request, &tokens))
        return CLI_BAD_INPUT;
    const met_transcript_diff *found = compare(request, &a, &b, tokens, seed);
    const char *text = !found ? NULL : (cli_flag(request, "json") ? met_transcript_diff_json : met_transcript_diff_text)(request->session, found);
    return cli_answer_check(request, text, found && met_transcript_diff_same(found) && met_transcript_diff_sound(found));
}

static const cli_option *const options[] = { own_options, cli_model_options, side_options, cli_side_point_options,
                                             cli_point_options, cli_common_options, NULL };

const cli_verb cli_model_diff = {
    .noun = "model", .verb = "diff", .arguments = "MODEL [OTHER]",
    .summary = "compares what two ways of a model say, or two models",
    .options = options, .run = diff,
};
