/* met budget: how far a circuit may be off, or two implementations of it from each other, and why. */
#include <float.h>
#include <stdio.h>

#include "cli/run_options.h"
#include "cli/straight.h"
#include "cli/values.h"
#include "host/budgeting.h"

/* Scalar operations, unless --work-limit says otherwise: a budget follows every one of them, which takes minutes for so many. */
#define WORK ((uint64_t)1000000000)

static const cli_option own_options[] = {
    { "hardware", 0, "NAME", "whose trees: a class or device, planned greedily, or PLANNER@HARDWARE; without it the interpreter's" },
    { "against", 0, "NAME", "how far it may be from this other one, instead of from the reals; interpreter is one" },
    { "block", 0, "NAME", "only blocks of this name: attention, layer.1.mlp" },
    { "whole", 0, NULL, "the circuit as one block" },
    { "steps", 0, "N", "of a model's mode decode: the N-th step, behind a prefill of what else its caches hold: 1" },
    { "lambda", 0, "X", "folds by the probabilistic form, which fails with probability 2*exp(-X^2/2) each" },
    { "measure", 0, NULL, "amplifications that the evidence store does not have are measured and kept" },
    { "store", 0, "FILE", "the evidence store" },
    { 0 },
};

static bool refuse_options(const cli_request *request)
{
    bool both = cli_flag(request, "whole") && cli_value(request, "block");
    if (both)
        cli_usage_error(request, "--whole has no blocks: leave out --block");
    return both;
}

static const met_circuit *circuit_in_mode(void *context, const char *mode)
{
    const cli_request *request = context;
    return cli_load_mode(request, request->arguments[0], mode);
}

static int circuit_budget(const cli_request *request)
{
    met_eval_options options;
    met_budgeting budgeting = { .hardware = cli_value(request, "hardware"), .against = cli_value(request, "against"),
                                .kernels = cli_value(request, "kernels"),   .mode = cli_value(request, "mode"),
                                .block = cli_value(request, "block"),       .store = cli_value(request, "store"),
                                .whole = cli_flag(request, "whole"),        .measure = cli_flag(request, "measure"),
                                .json = cli_flag(request, "json") };
    if (cli_is_model(request, request->arguments[0])) {
        budgeting.circuit = circuit_in_mode;
        budgeting.context = (void *)request;
    }
    if (refuse_options(request) || !cli_read_eval_options(request, &options) || !cli_read_count(request, "steps", &budgeting.steps) ||
        !cli_read_number(request, "lambda", DBL_TRUE_MIN, 1000, "a number above 0, up to 1000", &budgeting.lambda))
        return CLI_BAD_INPUT;
    /* a budget is of some arrays: without any, of these */
    options.fill = options.fill ? options.fill : "normal";
    options.work_limit = options.work_limit ? options.work_limit : WORK;
    const met_circuit *circuit = cli_load_circuit(request, request->arguments[0]);
    const cli_given *ins = circuit ? cli_read_given(request, circuit) : NULL;
    bool broken;
    const char *report = ins ? met_budgeting_report(circuit, &options, ins->count, ins->at, &budgeting, &broken) : NULL;
    if (!report)
        return cli_failed(request);
    fputs(report, stdout);
    return broken ? CLI_CHECK_FAILED : CLI_DONE;
}

/* Options of one kind of budget that are given for the other would do nothing. */
static bool refuse_others(const cli_request *request, bool straight)
{
    static const cli_option *const of_circuits[] = { own_options, cli_array_options, cli_point_options, cli_circuit_options, NULL };
    static const cli_option *const of_programs[] = { cli_straight_options, NULL };
    for (const cli_option *const *group = straight ? of_circuits : of_programs; *group; group++)
        for (const cli_option *option = *group; option->name; option++)
            if (cli_value(request, option->name)) {
                cli_usage_error(request, "--%s is for %s", option->name, straight ? "circuits" : "straight-line programs");
                return true;
            }
    return false;
}

static int budget(const cli_request *request)
{
    const char *argument = request->arguments[0];
    bool straight = cli_is_straight(argument);
    if (refuse_others(request, straight))
        return CLI_BAD_INPUT;
    return straight ? cli_straight(request, argument) : circuit_budget(request);
}

static const cli_option *const options[] = { own_options, cli_straight_options, cli_array_options, cli_point_options, cli_circuit_options,
                                             cli_common_options, NULL };

const cli_verb cli_budget = {
    .noun = "budget", .verb = "", .arguments = "CIRCUIT",
    .summary = "how far a result may be from the exact one, or two implementations of it apart, and why; also of "
               "straight-line programs (FILE.fpcore)",
    .options = options, .run = budget,
};
