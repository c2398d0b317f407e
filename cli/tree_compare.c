/* met tree compare: whether two records give the same bits, with an input if they do not; two classes, kernel by kernel; or
 * two plans of a circuit, fold by fold. */
#include <string.h>

#include "cli/plan_pair.h"
#include "cli/run_options.h"
#include "cli/tree_options.h"
#include "host/parity_plans.h"
#include "host/tree_classes.h"

static const cli_option own_options[] = {
    { "dtype", 0, "FORMAT", "of the operands: f64, f32, tf32, bf16, f16, e5m2 or e4m3; without it what units take, else f32" },
    { "sum", 0, NULL, "numbers are folded, not products" },
    { "witness", 0, "PREFIX", "writes the input on which they differ as PREFIX_a.npy and PREFIX_b.npy" },
    { "circuit", 0, "CIRCUIT", "that A and B are plans of, as greedy@h100-sxm is" },
    { "mode", 0, "MODE", "of it: decode, prefill, …" },
    { "rows", 0, "N", "of the mode, as met circuit plan binds them" },
    { "context", 0, "N", "tokens in the cache, likewise" },
    { "config", 0, "FILE", "sizes of a model from its config.json" },
    { "toy", 0, NULL, "the small sizes of a model's architecture" },
    { "layers", 0, "N", "of a model, this many layers" },
    { 0 },
};

static int write_result(const cli_request *request, const met_tree_compared *compared, const char *prefix)
{
    const char *text = cli_flag(request, "json") ? met_tree_compared_json(compared) : met_tree_compared_text(compared, prefix);
    if (prefix && met_tree_compared_input(compared) && !met_tree_compared_write(compared, prefix))
        return cli_failed(request);
    return cli_answer(request, NULL, text);
}

/* --- Plans --- */

/* PLANNER@HARDWARE, the planner being one of whole ops: no kernel is called so. */
static bool is_plan(const cli_request *request, const char *name)
{
    const char *at = strchr(name, '@');
    size_t length = at ? (size_t)(at - name) : 0;
    char *planner = met_session_alloc(request->session, length + 1, 1);
    memcpy(planner, name, length);
    planner[length] = 0;
    return at && met_way_lowers(&(met_way){ .planner = planner });
}

static bool read_plans(const cli_request *request, met_way ways[2])
{
    for (int k = 0; k < 2; k++) {
        bool runs;
        ways[k].kernels = cli_value(request, "kernels");
        ways[k].mode = cli_value(request, "mode");
        if (!met_way_parse(request->session, request->arguments[k], &ways[k]))
            return false;
        if (!met_way_lowers(&ways[k])) {
            cli_usage_error(request, "plans whose records are compared are greedy@CLASS or exact@CLASS, not `%s`", request->arguments[k]);
            return false;
        }
        if (!met_way_runs(request->session, &ways[k], &runs))
            return false;
    }
    return true;
}

static int compare_plans(const cli_request *request)
{
    met_eval_options options;
    met_way ways[2] = { 0 };
    bool read = cli_read_eval_options(request, &options) && read_plans(request, ways);
    const met_circuit *circuit = read ? cli_load_bound(request, cli_value(request, "circuit"), true) : NULL;
    const met_subject *subject = circuit ? met_subject_to_plan(circuit, &options, 0, NULL) : NULL;
    const met_parity_report *report = subject ? met_subject_parity(subject, &ways[0], &ways[1]) : NULL;
    if (!report)
        return cli_failed(request);
    const char *text = cli_flag(request, "json") ? met_parity_json(report) : met_parity_text(report);
    return cli_answer_check(request, text, met_parity_promised(report));
}

/* --- Classes --- */

static int compare_classes(const cli_request *request, const met_lkb *lkb)
{
    met_tree_request asked;
    const met_tree_classes *classes =
        cli_read_compare_request(request, &asked) ? met_tree_compare_classes(request->session, lkb, request->arguments, &asked) : NULL;
    if (!classes)
        return cli_failed(request);
    const char *text = cli_flag(request, "json") ? met_tree_classes_json(classes) : met_tree_classes_text(classes);
    return cli_answer_check(request, text, met_tree_classes_same(classes));
}

/* --- All --- */

static int compare(const cli_request *request)
{
    if (cli_flag(request, "circuit"))
        return compare_plans(request);
    if (is_plan(request, request->arguments[0]) || is_plan(request, request->arguments[1])) {
        cli_usage_error(request, "plans are of a circuit: --circuit says which");
        return CLI_BAD_INPUT;
    }
    const met_lkb *lkb = cli_load_blueprint(request);
    if (!lkb)
        return cli_failed(request);
    if (met_tree_is_class(lkb, request->arguments[0]) && met_tree_is_class(lkb, request->arguments[1]))
        return compare_classes(request, lkb);
    const met_tree_compared *compared = cli_compare_trees(request, lkb);
    if (!compared)
        return cli_failed(request);
    int status = write_result(request, compared, cli_value(request, "witness"));
    return status != CLI_DONE ? status : met_tree_compared_same(compared) ? CLI_DONE : CLI_CHECK_FAILED;
}

static const cli_option *const compare_options[] = { cli_tree_options, own_options, cli_kernels_options, cli_common_options, NULL };

const cli_verb cli_tree_compare = {
    .noun = "tree", .verb = "compare", .arguments = "A B",
    .summary = "says whether two records, classes or plans give the same bits, and where they do not",
    .options = compare_options, .run = compare,
};
