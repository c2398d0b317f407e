/* met circuit venn: what a circuit's plan shares with kernels that exist. */
#include "cli/blueprint.h"
#include "host/auditing.h"
#include "host/model.h"
#include "met/plan.h"

static int venn(const cli_request *request)
{
    met_venn_request what = { .hardware = cli_value(request, "hardware"), .planner = cli_value(request, "planner"),
                              .mode = cli_value(request, "mode"), .against = cli_value(request, "against"),
                              .kernels = cli_value(request, "kernels"), .store = cli_value(request, "store") };
    const char *argument = request->arguments[0];
    if (!what.hardware || !what.against) {
        cli_usage_error(request, "--hardware says where the circuit runs, --against which classes or models it is compared with");
        return CLI_BAD_INPUT;
    }
    const met_lkb *lkb = cli_load_blueprint(request);
    met_circuit *circuit = lkb ? cli_load_circuit(request, argument) : NULL;
    met_plan_request plan = { .mode = what.mode };
    what.name = met_model_exists(what.kernels, argument) ? argument : NULL;
    what.circuit = circuit ? met_plan_bind(circuit, &plan) : NULL;
    what.rows = plan.rows;
    const char *text = what.circuit ? met_auditing_venn(request->session, lkb, &what, cli_flag(request, "json")) : NULL;
    return cli_answer(request, NULL, text);
}

static const cli_option venn_options[] = {
    { "hardware", 0, "H", "the class or device on which the circuit is planned" },
    { "against", 0, "A,B", "classes, devices or models to compare it with" },
    { "planner", 0, "P", "none (a group for each op), greedy (the default) or exact" },
    { "store", 0, "FILE", "evidence, instead of the user's own store" },
    { 0 },
};

static const cli_option *const options[] = { venn_options, cli_circuit_options, cli_device_options, cli_common_options, NULL };

const cli_verb cli_circuit_venn = {
    .noun = "circuit", .verb = "venn", .arguments = "CIRCUIT",
    .summary = "what a circuit shares with the kernels of classes and models",
    .options = options, .run = venn,
};
