/* met export json: the documented, versioned schema (docs/formats/circuit-json.md). */
#include <string.h>

#include "cli/cli.h"

static const cli_option own_options[] = {
    { "output", 'o', "FILE", "write there instead of standard output" },
    { 0 },
};

static int export_json(const cli_request *request)
{
    met_circuit *circuit = cli_load_circuit(request, request->arguments[0]);
    if (!circuit)
        return cli_failed(request);
    const char *json = met_circuit_json(circuit);
    return cli_write(request, cli_value(request, "output"), json, strlen(json));
}

static const cli_option *const options[] = { own_options, cli_circuit_options, cli_common_options, NULL };

const cli_verb cli_export_json = {
    "export", "json", "CIRCUIT", 1, "writes a circuit in the JSON form, which `met circuit show FILE.json` reads", options, export_json,
};
