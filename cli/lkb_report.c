/* met lkb report: how much of what models ask for the classes cover, and what is left. */
#include "cli/blueprint.h"
#include "host/auditing.h"

static int report(const cli_request *request)
{
    const met_lkb *lkb = cli_load_blueprint(request);
    if (!lkb)
        return cli_failed(request);
    const char *text;
    if (cli_flag(request, "forks")) {
        text = met_auditing_forks(lkb);
    } else {
        met_auditing_request what = { .lkb = lkb, .kernels = cli_value(request, "kernels"), .hardware = cli_value(request, "hardware"),
                                      .store = cli_value(request, "store") };
        met_auditing *auditing = met_auditing_new(request->session, &what);
        text = auditing ? met_auditing_report(auditing, cli_flag(request, "json")) : NULL;
    }
    return cli_answer(request, NULL, text);
}

static const cli_option report_options[] = {
    { "hardware", 0, "H", "this class or device alone" },
    { "store", 0, "FILE", "evidence, instead of the user's own store" },
    { "forks", 0, NULL, "FORKS.md: residuals, copies and twins of every class" },
    { 0 },
};

static const cli_option *const options[] = { report_options, cli_device_options, cli_kernels_options, cli_common_options, NULL };

const cli_verb cli_lkb_report = {
    .noun = "lkb", .verb = "report", .arguments = "",
    .summary = "what classes cover and measure, what is left, which rules win",
    .options = options, .run = report,
};
