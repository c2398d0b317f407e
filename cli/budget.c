/* met budget: how far a result may be from the exact one, and why. */
#include "cli/straight.h"

static int budget(const cli_request *request)
{
    const char *argument = request->arguments[0];
    if (cli_is_straight(argument))
        return cli_straight(request, argument);
    cli_usage_error(request, "`met budget` takes a straight-line program in FPCore, not `%.60s`", argument);
    return CLI_BAD_INPUT;
}

static const cli_option *const options[] = { cli_straight_options, cli_common_options, NULL };

const cli_verb cli_budget = {
    "budget", "", "FILE.fpcore", 1, "a proven bound on how far the result of a straight-line program is from the exact one", options, budget,
};
