/* met lkb check: reads and checks the whole blueprint. */
#include <string.h>

#include "cli/blueprint.h"

static int check(const cli_request *request)
{
    const met_lkb *lkb = cli_load_blueprint(request);
    if (!lkb)
        return cli_failed(request);
    const char *text = cli_flag(request, "json") ? met_lkb_summary_json(lkb) : met_lkb_summary_text(lkb);
    return cli_write(request, NULL, text, strlen(text));
}

static const cli_option *const options[] = { cli_device_options, cli_kernels_options, cli_common_options, NULL };

const cli_verb cli_lkb_check = {
    "lkb", "check", "", 0, "checks devices, classes, families and rules, and counts them", options, check,
};
