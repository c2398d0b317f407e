/* met hw list: hardware classes and devices. */
#include "cli/blueprint.h"

static int list(const cli_request *request)
{
    const met_lkb *lkb = cli_load_blueprint(request);
    if (!lkb)
        return cli_failed(request);
    const char *text = cli_flag(request, "json") ? met_hardware_list_json(lkb) : met_hardware_list_text(lkb);
    return cli_answer(request, NULL, text);
}

static const cli_option *const options[] = { cli_device_options, cli_kernels_options, cli_common_options, NULL };

const cli_verb cli_hw_list = {
    .noun = "hw", .verb = "list", .arguments = "",
    .summary = "lists hardware classes and devices with their bandwidths and peaks",
    .options = options, .run = list,
};
