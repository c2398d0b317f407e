/* met tree replay: recordings of matrix units against the records of them. */
#include "cli/blueprint.h"
#include "host/replay.h"

static const cli_option own_options[] = {
    { "unit", 0, "GPU.FORMAT", "the unit to run, such as h100.e4m3, instead of the one that the files' names say" },
    { 0 },
};

static int replay(const cli_request *request)
{
    size_t count;
    const met_lkb *lkb = cli_load_blueprint(request);
    const met_replayed *replayed = lkb ? met_replay(request->session, lkb, request->arguments[0], cli_value(request, "unit"), &count) : NULL;
    if (!replayed)
        return cli_failed(request);
    const char *text = cli_flag(request, "json") ? met_replay_json(request->session, count, replayed) : met_replay_text(request->session, count, replayed);
    return cli_answer_check(request, text, met_replay_good(count, replayed));
}

static const cli_option *const options[] = { own_options, cli_kernels_options, cli_common_options, NULL };

const cli_verb cli_tree_replay = {
    .noun = "tree", .verb = "replay", .arguments = "DIR",
    .summary = "runs recorded operands of matrix units along their records, and says which lines come out as recorded",
    .options = options, .run = replay,
};
