/* met export json: the documented, versioned schema (docs/formats/circuit-json.md). */
#include <string.h>

#include "cli/cli.h"
#include "host/json.h"
#include "met/diagnose.h"

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
    if (!met_json_fits(json, strlen(json)))
        met_diagnose(request->session, "note", "this circuit has too many values to be read back", "export it with fewer --layers");
    return cli_answer(request, cli_value(request, "output"), json);
}

static const cli_option *const options[] = { own_options, cli_circuit_options, cli_common_options, NULL };

const cli_verb cli_export_json = {
    .noun = "export", .verb = "json", .arguments = "CIRCUIT",
    .summary = "writes a circuit in the JSON form, which `met circuit show FILE.json` reads",
    .options = options, .run = export_json,
};
