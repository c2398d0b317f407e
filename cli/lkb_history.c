/* met lkb history: what each version of the blueprint amounts to. */
#include "cli/blueprint.h"
#include "host/auditing.h"

static int history(const cli_request *request)
{
    const char *date = cli_value(request, "date");
    if (cli_flag(request, "append") != (date != NULL)) {
        cli_usage_error(request, "--append wants --date YYYY-MM-DD, and the other way round");
        return CLI_BAD_INPUT;
    }
    const met_lkb *lkb = cli_load_blueprint(request);
    met_auditing_request what = { .lkb = lkb, .kernels = cli_value(request, "kernels") };
    met_auditing *auditing = lkb ? met_auditing_new(request->session, &what) : NULL;
    const char *text = auditing ? met_auditing_history(auditing, date, cli_flag(request, "json")) : NULL;
    return cli_answer(request, NULL, text);
}

static const cli_option history_options[] = {
    { "append", 0, NULL, "add what the blueprint amounts to now, if that has changed" },
    { "date", 0, "DATE", "of the new version: YYYY-MM-DD" },
    { 0 },
};

static const cli_option *const options[] = { history_options, cli_device_options, cli_kernels_options, cli_common_options, NULL };

const cli_verb cli_lkb_history = {
    .noun = "lkb", .verb = "history", .arguments = "",
    .summary = "families, kernels and coverage of every version of the blueprint",
    .options = options, .run = history,
};
