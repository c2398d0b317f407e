/* met lkb promote: whether two families could be one, shown by running both. */
#include <string.h>

#include "cli/blueprint.h"
#include "host/auditing.h"

static int promote(const cli_request *request)
{
    bool all = cli_flag(request, "all"), merge;
    if (all && request->argument_count > 0) {
        cli_usage_error(request, "--all compares every two families: it takes none by name");
        return CLI_BAD_INPUT;
    }
    const met_lkb *lkb = cli_load_blueprint(request);
    met_auditing_request what = { .lkb = lkb, .kernels = cli_value(request, "kernels"), .hardware = cli_value(request, "hardware"),
                                  .store = cli_value(request, "store") };
    met_auditing *auditing = lkb ? met_auditing_new(request->session, &what) : NULL;
    const char *text = auditing ? met_auditing_promote(auditing, all ? NULL : request->arguments[0], all ? NULL : request->arguments[1],
                                                       cli_flag(request, "json"), &merge) : NULL;
    if (!text)
        return cli_failed(request);
    int status = cli_write(request, NULL, text, strlen(text));
    return status == CLI_DONE && !all && !merge ? CLI_CHECK_FAILED : status;
}

static const cli_option promote_options[] = {
    { "all", 0, NULL, "every two families that rules give the same nodes" },
    { "hardware", 0, "H", "a class that this machine can run; the best one otherwise" },
    { "store", 0, "FILE", "evidence, instead of the user's own store" },
    { 0 },
};

static const cli_option *const options[] = { promote_options, cli_device_options, cli_kernels_options, cli_common_options, NULL };

const cli_verb cli_lkb_promote = {
    "lkb", "promote", "FAMILY_A FAMILY_B", 2, "whether two families could be one: runs both and compares bytes", options, promote,
};
