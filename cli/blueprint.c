#include "cli/blueprint.h"

#include "cli/values.h"
#include "host/blueprint.h"

const cli_option cli_device_options[] = {
    { "device-file", 0, "FILE", "further device records, in the form of DEVICES.toml" },
    { 0 },
};

const cli_option cli_kernels_options[] = {
    { "kernels", 0, "DIR", "where the blueprint's files are, instead of the installed one" },
    { 0 },
};

const met_lkb *cli_load_blueprint(const cli_request *request)
{
    size_t count;
    const char *const *files = cli_values(request, "device-file", &count);
    met_blueprint_request blueprint = { cli_value(request, "kernels"), count, files };
    return met_blueprint_load(request->session, &blueprint);
}
