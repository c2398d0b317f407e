/* met circuit plan: which kernels of the blueprint cover a circuit on a class or a device, and what that costs. */
#include <string.h>

#include "cli/blueprint.h"
#include "cli/values.h"
#include "host/model.h"
#include "host/planning.h"

static const cli_option own_options[] = {
    { "hardware", 0, "NAME", "a device or a hardware class (met hw list): h200-sxm, cpu-avx512 …" },
    { "planner", 0, "NAME", "none, greedy (the default) or exact" },
    { "rows", 0, "N", "rows of the mode: new tokens; sequences in multi_seq" },
    { "context", 0, "N", "tokens in the cache (4096)" },
    { "setting", 0, "NAME=VALUE", "a setting that rules read, over the class's" },
    { "lever", 0, "NAME", "turn on a lever: rules that change numbers" },
    { "partial", 0, NULL, "leave nodes that nothing covers without a kernel" },
    { "explain", 0, NULL, "which rules lost, and why" },
    { "cost", 0, "KIND", "model (the default), measured (where there is evidence), or nodes: one time an operation" },
    { "format", 0, "KIND", "report (the default), text (the canonical one) or json" },
    { "dtype", 0, "DTYPE", "format of what nothing else states: a model's own (bf16), else f32" },
    { "matrix", 0, NULL, "instead of one circuit: every model on every device in every mode, as the files of plans" },
    { "check", 0, NULL, "of --matrix: say which of those files are stale instead of writing them" },
    { 0 },
};

typedef enum form { REPORT, TEXT, JSON } form;

static bool read_form(const cli_request *request, bool nodes, form *ret_form)
{
    static const char *const names[] = { "report", "text", "json", NULL };
    bool json = cli_flag(request, "json");
    int number = json ? JSON : REPORT;
    if (!cli_read_word(request, "format", names, &number))
        return false;
    *ret_form = (form)number;
    if (json && number != JSON)
        cli_usage_error(request, "--json is --format json, not `%s`", names[number]);
    else if (nodes && number == TEXT)
        cli_usage_error(request, "--cost nodes is no plan: there is no canonical text of it");
    else
        return true;
    return false;
}

typedef enum cost { MODEL, MEASURED, NODES } cost;

static bool read_request(const cli_request *request, met_plan_request *plan)
{
    plan->planner = cli_value(request, "planner");
    plan->hardware = cli_value(request, "hardware");
    plan->mode = cli_value(request, "mode");
    plan->partial = cli_flag(request, "partial");
    plan->explain = cli_flag(request, "explain");
    plan->settings = cli_values(request, "setting", &plan->setting_count);
    plan->levers = cli_values(request, "lever", &plan->lever_count);
    size_t classes;
    cli_values(request, "hardware", &classes);
    if (classes != 1) {
        cli_usage_error(request, classes ? "--hardware is given twice: a plan is for one class or device" :
                                           "--hardware says which class or device the plan is for");
        return false;
    }
    return cli_read_count_within(request, "rows", 1, UINT64_MAX, &plan->rows) &&
           cli_read_count_within(request, "context", 1, UINT64_MAX, &plan->context);
}

/* What stays in memory is told by the model with its caches, in mode decode; NULL: by the circuit itself. */
static const met_circuit *resident_of(const cli_request *request, const met_plan_request *plan)
{
    const char *name = request->arguments[0], *kernels = cli_value(request, "kernels");
    if (!met_model_exists(kernels, name) || cli_flag(request, "expand"))
        return NULL;
    size_t count, settings = 0;
    met_model_request model = { .name = name, .kernels = kernels, .config = cli_value(request, "config"), .toy = cli_flag(request, "toy"),
                                .mode = "decode", .layers = cli_value(request, "layers"), .default_format = cli_value(request, "dtype") };
    const char *const *modes = met_model_mode_names(request->session, &model, &count);
    while (modes && count > 0 && strcmp(modes[count - 1], "decode") != 0)
        count--;
    if (!modes || count == 0 || (plan->mode && strcmp(plan->mode, "decode") == 0))
        return NULL;
    cli_values(request, "set", &settings); /* sizes of this mode may be none of decode's */
    met_circuit *circuit = settings > 0 ? NULL : met_model_load(request->session, &model);
    met_plan_request decode = { .mode = "decode", .context = plan->context };
    return circuit ? met_plan_bind(circuit, &decode) : NULL;
}

static const char *said(const met_lowering *lowering, const met_plan_request *plan, form f)
{
    if (!lowering)
        return NULL;
    return f == TEXT ? met_lowering_text(lowering) : f == JSON ? met_lowering_json(lowering, plan) : met_lowering_report(lowering, plan);
}

/* The first option that has no part in the matrix; NULL: none is given. */
static const char *beside_matrix(const cli_request *request)
{
    static const char *const known[] = { "matrix", "check", "kernels" };
    for (size_t i = 0; i < request->value_count; i++) {
        const char *name = request->values[i].option->name;
        bool good = false;
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            good = good || strcmp(known[k], name) == 0;
        if (!good)
            return name;
    }
    return NULL;
}

static int plan_all(const cli_request *request)
{
    met_planning planning = { .kernels = cli_value(request, "kernels") };
    const char *stale;
    const char *other = beside_matrix(request);
    if (other) {
        cli_usage_error(request, "--matrix plans every model on every device in every mode: it takes no --%s", other);
        return CLI_BAD_INPUT;
    }
    if (!met_planning_matrix(request->session, &planning, cli_flag(request, "check"), &stale))
        return cli_failed(request);
    return cli_answer_check(request, stale, *stale == 0);
}

static int plan_circuit(const cli_request *request)
{
    met_plan_request plan = { 0 };
    form f;
    static const char *const costs[] = { "model", "measured", "nodes", NULL };
    int priced = MODEL;
    if (cli_flag(request, "matrix"))
        return plan_all(request);
    if (cli_flag(request, "check")) {
        cli_usage_error(request, "--check is of --matrix");
        return CLI_BAD_INPUT;
    }
    if (!read_request(request, &plan) || !cli_read_word(request, "cost", costs, &priced) || !read_form(request, priced == NODES, &f))
        return CLI_BAD_INPUT;
    met_planning planning = { .kernels = cli_value(request, "kernels"), .measured = priced == MEASURED };
    const met_lkb *lkb = cli_load_blueprint(request);
    met_circuit *circuit = lkb ? cli_load_circuit(request, request->arguments[0]) : NULL;
    circuit = circuit ? met_plan_bind(circuit, &plan) : NULL;
    if (!circuit)
        return cli_failed(request);
    plan.resident = resident_of(request, &plan);
    const char *text = priced == NODES ? met_plan_nodes_report(circuit, lkb, &plan, f == JSON) :
                               said(met_planning_lower(circuit, lkb, &plan, &planning), &plan, f);
    return cli_answer(request, NULL, text);
}

static const cli_option *const options_of_verb[] = { own_options, cli_device_options, cli_circuit_options, cli_common_options, NULL };

const cli_verb cli_circuit_plan = {
    .noun = "circuit", .verb = "plan", .arguments = "CIRCUIT", .instead = "matrix",
    .summary = "covers a circuit with kernels of a hardware class, and says what that costs",
    .options = options_of_verb, .run = plan_circuit,
};
