/* met hw show: one device or class, with all that it inherits. */
#include "cli/blueprint.h"

static int show(const cli_request *request)
{
    const met_lkb *lkb = cli_load_blueprint(request);
    const char *name = request->arguments[0];
    const char *text = !lkb ? NULL : cli_flag(request, "json") ? met_hardware_show_json(lkb, name) : met_hardware_show_text(lkb, name);
    return cli_answer(request, NULL, text);
}

static const cli_option *const options[] = { cli_device_options, cli_kernels_options, cli_common_options, NULL };

const cli_verb cli_hw_show = {
    .noun = "hw", .verb = "show", .arguments = "HARDWARE",
    .summary = "shows a device or a class: levels, peaks, energy, families, settings, rules",
    .options = options, .run = show,
};
