/* met lkb check: reads and checks the whole blueprint. */
#include "cli/blueprint.h"
#include "host/auditing.h"

/* Against circuits and kernels. */
static int audit(const cli_request *request, const met_lkb *lkb)
{
    bool json = cli_flag(request, "json");
    met_auditing_request what = { .lkb = lkb, .kernels = cli_value(request, "kernels"), .hardware = cli_value(request, "hardware") };
    met_auditing *auditing = met_auditing_new(request->session, &what);
    if (!auditing)
        return cli_failed(request);
    bool good = met_auditing_check(auditing, cli_flag(request, "run"));
    const char *text = json ? met_auditing_check_json(auditing) : met_auditing_check_text(auditing);
    return cli_answer_check(request, text, good);
}

static int check(const cli_request *request)
{
    const met_lkb *lkb = cli_load_blueprint(request);
    if (!lkb)
        return cli_failed(request);
    if (!cli_flag(request, "data"))
        return audit(request, lkb);
    const char *text = cli_flag(request, "json") ? met_lkb_summary_json(lkb) : met_lkb_summary_text(lkb);
    return cli_answer(request, NULL, text);
}

static const cli_option check_options[] = {
    { "data", 0, NULL, "the files alone, without circuits and kernels" },
    { "run", 0, NULL, "compile and run the microtests of rules, too" },
    { "hardware", 0, "H", "this class alone" },
    { 0 },
};

static const cli_option *const options[] = { check_options, cli_device_options, cli_kernels_options, cli_common_options, NULL };

const cli_verb cli_lkb_check = {
    .noun = "lkb", .verb = "check", .arguments = "",
    .summary = "checks devices, classes, families and rules, and counts them",
    .options = options, .run = check,
};
