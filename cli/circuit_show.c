/* met circuit show: the listing, or the JSON form. */
#include "cli/cli.h"

static const cli_option own_options[] = {
    { "whole", 0, NULL, "list every repetition, not only the first" },
    { 0 },
};

static int show(const cli_request *request)
{
    met_circuit *circuit = cli_load_circuit(request, request->arguments[0]);
    if (!circuit)
        return cli_failed(request);
    const char *text = cli_flag(request, "json") ? met_circuit_json(circuit) : met_circuit_listing(circuit, cli_flag(request, "whole"));
    return cli_answer(request, NULL, text);
}

static const cli_option *const options[] = { own_options, cli_circuit_options, cli_common_options, NULL };

const cli_verb cli_circuit_show = {
    .noun = "circuit", .verb = "show", .arguments = "CIRCUIT",
    .summary = "lists a circuit: nodes, edges, axes, inputs, parameters, outputs, free sizes",
    .options = options, .run = show,
};
