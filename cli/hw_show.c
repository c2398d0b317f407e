/* met hw show: one device or class, with all that it inherits. */
#include <string.h>

#include "cli/blueprint.h"

static int show(const cli_request *request)
{
    const met_lkb *lkb = cli_load_blueprint(request);
    const char *name = request->arguments[0];
    const char *text = !lkb ? NULL : cli_flag(request, "json") ? met_hardware_show_json(lkb, name) : met_hardware_show_text(lkb, name);
    return text ? cli_write(request, NULL, text, strlen(text)) : cli_failed(request);
}

static const cli_option *const options[] = { cli_device_options, cli_kernels_options, cli_common_options, NULL };

const cli_verb cli_hw_show = {
    "hw", "show", "HARDWARE", 1, "shows a device or a class: levels, peaks, energy, families, settings, rules", options, show,
};
