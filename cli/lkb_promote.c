/* met lkb promote: whether two families could be one, shown by running both. */
#include "cli/blueprint.h"
#include "host/auditing.h"

static int promote(const cli_request *request)
{
    bool all = cli_flag(request, "all"), merge = false;
    const met_lkb *lkb = cli_load_blueprint(request);
    met_auditing_request what = { .lkb = lkb, .kernels = cli_value(request, "kernels"), .hardware = cli_value(request, "hardware"),
                                  .store = cli_value(request, "store") };
    met_auditing *auditing = lkb ? met_auditing_new(request->session, &what) : NULL;
    const char *text = auditing ? met_auditing_promote(auditing, all ? NULL : request->arguments[0], all ? NULL : request->arguments[1],
                                                       cli_flag(request, "json"), &merge) : NULL;
    return cli_answer_check(request, text, all || merge);
}

static const cli_option promote_options[] = {
    { "all", 0, NULL, "every two families that rules give the same nodes" },
    { "hardware", 0, "H", "a class that this machine can run; the best one otherwise" },
    { "store", 0, "FILE", "evidence, instead of the user's own store" },
    { 0 },
};

static const cli_option *const options[] = { promote_options, cli_device_options, cli_kernels_options, cli_common_options, NULL };

const cli_verb cli_lkb_promote = {
    .noun = "lkb", .verb = "promote", .arguments = "FAMILY_A FAMILY_B", .instead = "all",
    .summary = "whether two families could be one: runs both and compares bytes",
    .options = options, .run = promote,
};
