/* met circuit diff: one circuit run in two ways on the same arrays, compared byte by byte. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/options.h"
#include "cli/plan_pair.h"
#include "cli/run_options.h"
#include "cli/values.h"
#include "host/outcome_json.h"
#include "host/parity.h"
#include "host/parity_plans.h"
#include "met/plan.h"

static const cli_option own_options[] = {
    { "a", 0, "PLANNER@HARDWARE", "one way: none@cpu-scalar, fused@cpu, greedy@cpu-avx2, none@interpreter" },
    { "b", 0, "PLANNER@HARDWARE", "the other way" },
    { "threads", 0, "N[,N]", "of both, or of a and of b" },
    { "tiles", 0, "NAME=N,…", "of both: sizes of tiles by loop, q=32,x=128" },
    { "tiles-a", 0, "NAME=N,…", "of a only" },
    { "tiles-b", 0, "NAME=N,…", "of b only" },
    { "rows", 0, "N", "rows of the mode, as met circuit plan binds them" },
    { "context", 0, "N", "tokens in the cache, likewise" },
    { "setting", 0, "NAME=VALUE", "a setting that rules of both plans read, over the class's" },
    { "cache", 0, "DIR", "of compiled kernels" },
    { "emulate", 0, NULL, "what cannot run here is run by the interpreter, along the trees that its class declares" },
    { 0 },
};

/* "2" or "2,1". */
static bool read_threads(const cli_request *request, met_way ways[2])
{
    uint64_t threads[2] = { 1, 1 };
    size_t count = 2;
    if (!cli_read_counts(request, "threads", 2, threads, &count))
        return false;
    for (size_t k = 0; k < 2; k++) {
        uint64_t n = threads[k < count ? k : 0]; /* one number is for both */
        if (n > UINT32_MAX) {
            cli_usage_error(request, "--threads takes numbers up to %" PRIu32, UINT32_MAX);
            return false;
        }
        ways[k].threads = (uint32_t)n;
    }
    return true;
}

static bool read_ways(const cli_request *request, met_way ways[2])
{
    static const char *const sides[] = { "a", "b" }, *const tiles[] = { "tiles-a", "tiles-b" };
    if (!read_threads(request, ways))
        return false;
    for (int k = 0; k < 2; k++) {
        const char *side = cli_value(request, sides[k]), *own = cli_value(request, tiles[k]);
        if (!side) {
            cli_usage_error(request, "--%s PLANNER@HARDWARE says one of the two ways", sides[k]);
            return false;
        }
        if (!met_way_parse(request->session, side, &ways[k]))
            return false;
        ways[k].cache = cli_value(request, "cache");
        ways[k].setting = cli_value(request, "setting");
        ways[k].kernels = cli_value(request, "kernels");
        ways[k].mode = cli_value(request, "mode");
        ways[k].tree = cli_side_value(request, "tree", *sides[k]);
        ways[k].dot = cli_side_value(request, "dot", *sides[k]);
        bool interpreted = strcmp(ways[k].hardware, "interpreter") == 0;
        ways[k].tiles = own ? own : interpreted ? NULL : cli_value(request, "tiles");
    }
    return true;
}

/* --- Text --- */

static void print_way(const char *side, const met_outcome *outcome)
{
    printf("%s  %s, %" PRIu32 " thread%s", side, outcome->name, outcome->threads, outcome->threads == 1 ? "" : "s");
    size_t kernels = outcome->kernel_count - outcome->packing_count;
    if (outcome->kernel_count > 0)
        printf(", %zu kernel%s", kernels, kernels == 1 ? "" : "s");
    if (outcome->packing_count > 0)
        printf(" and %zu that pack%s parameters", outcome->packing_count, outcome->packing_count == 1 ? "s" : "");
    printf("%s\n", outcome->underflow ? ", underflow" : "");
}

static const char *verdict_words(const met_parity *parity)
{
    static const char *const words[3][2] = {
        [MET_EXPECT_SAME] = { "different, which the records rule out: this is a mistake of met", "the same, as expected" },
        [MET_EXPECT_OPEN] = { "different", "the same, though nothing promises it" },
        [MET_EXPECT_VOID] = { "different", "the same, though nothing promises it" },
    };
    return words[parity->expected][parity->same];
}

/* What to do where something underflowed: the promise is void, whatever the bytes are. */
static void print_advice(const char *fill)
{
    enum { LEFT = 10 };
    bool wave = !fill || strcmp(fill, "wave") == 0;
    printf("%*s", LEFT, "");
    cli_print_wrapped(wave ? "arrays with larger values may avoid it" :
                             "--fill wave may avoid it: its values are not as small", LEFT, LEFT);
}

static void print_text(const met_outcome *a, const met_outcome *b, const met_parity *parity, const char *fill)
{
    static const char *const expected[] = { [MET_EXPECT_SAME] = "the same bytes", [MET_EXPECT_OPEN] = "nothing",
                                            [MET_EXPECT_VOID] = "nothing" };
    print_way("a", a);
    print_way("b", b);
    int column = printf("expected: %s: ", expected[parity->expected]);
    cli_print_wrapped(parity->why, column, (int)strlen("expected: "));
    if (parity->expected == MET_EXPECT_VOID)
        print_advice(fill);
    for (size_t k = 0; k < parity->array_count; k++) {
        const met_array_parity *array = &parity->arrays[k];
        const met_tensor *tensor = a->result->arrays[k].tensor;
        printf("%s%s: %s[", k >= a->result->output_count ? "state " : "", array->name, tensor->format);
        for (size_t p = 0; p < tensor->rank; p++)
            printf("%s%" PRIu64, p ? " " : "", tensor->shape[p]);
        if (array->different == 0) {
            printf("]: all %zu values have the same bytes\n", array->count);
            continue;
        }
        printf("]: %zu of %zu values differ, first at [", array->different, array->count);
        for (size_t p = 0; p < tensor->rank; p++)
            printf("%s%" PRIu64, p ? " " : "", array->position[p]);
        printf("]\n  a %s %.9g\n  b %s %.9g\n", array->a_hex, array->a, array->b_hex, array->b);
        if (array->ulps != UINT64_MAX)
            printf("  %" PRIu64 " ulp%s apart\n", array->ulps, array->ulps == 1 ? "" : "s");
    }
    printf("%s\n", verdict_words(parity));
}

/* --- Running --- */

/* Plans of whole ops, compared group by group; NULL with *ret_failed if that failed, else if they are not such. */
static const met_plan_pair *compare_plans(const met_subject *subject, const met_way ways[2], bool *ret_failed)
{
    bool lower = met_way_lowers(&ways[0]) && met_way_lowers(&ways[1]);
    const met_plan_pair *plans = lower ? met_subject_plans(subject, &ways[0], &ways[1]) : NULL;
    *ret_failed = lower && !plans;
    return plans;
}

/* Whether there is nothing but plans to compare, as the kernels of one of them cannot run here and are not emulated. False with
 * diagnostics, also if a hardware is none, before anything takes time. */
static bool find_kind(const cli_request *request, met_way ways[2], bool *ret_planned)
{
    bool lower[2] = { met_way_lowers(&ways[0]), met_way_lowers(&ways[1]) }, runs, emulate = cli_flag(request, "emulate");
    *ret_planned = false;
    for (int k = 0; k < 2; k++) {
        if (strcmp(ways[k].hardware, "interpreter") == 0)
            continue;
        bool whole = lower[k] && (emulate || lower[1 - k]);
        if (whole ? !met_way_runs(request->session, &ways[k], &runs) : !met_way_class(request->session, &ways[k]))
            return false;
        ways[k].emulate = whole && emulate && !runs;
        *ret_planned = *ret_planned || (whole && !emulate && !runs);
    }
    return true;
}

/* Where nothing runs the records decide. */
static int decide(const cli_request *request, const met_subject *subject, const met_way ways[2], const met_plan_pair *plans)
{
    const met_parity_report *report = met_subject_parity(subject, &ways[0], &ways[1]);
    if (!report)
        return cli_failed(request);
    if (cli_flag(request, "json")) {
        fputs(met_ways_json(request->session, &(met_ways_compared){ .plans = plans, .report = report }), stdout);
    } else {
        cli_print_plans(plans);
        printf("%s", met_parity_text(report));
    }
    return met_parity_promised(report) ? CLI_DONE : CLI_CHECK_FAILED;
}

/* Both run before anything is said, so that what cannot run is told of first. */
static int run(const cli_request *request, const met_subject *subject, const met_way ways[2], const met_plan_pair *plans, const char *fill)
{
    bool json = cli_flag(request, "json"), emulated = plans && (ways[0].emulate || ways[1].emulate);
    const met_outcome *a = met_subject_run(subject, &ways[0]);
    const met_outcome *b = a ? met_subject_run(subject, &ways[1]) : NULL;
    const met_parity_report *report = b && emulated ? met_subject_parity(subject, &ways[0], &ways[1]) : NULL;
    if (!b || (emulated && !report))
        return cli_failed(request);
    const met_parity *parity = met_outcome_parity(subject, a, b);
    if (json) {
        fputs(met_ways_json(request->session, &(met_ways_compared){ plans, report, a, b, parity }), stdout);
    } else {
        if (plans)
            cli_print_plans(plans);
        if (report)
            printf("%s", met_parity_text(report));
        print_text(a, b, parity, fill);
    }
    return parity->same ? CLI_DONE : CLI_CHECK_FAILED;
}

static int diff(const cli_request *request)
{
    met_eval_options options;
    met_way ways[2] = { 0 };
    bool failed = false, planned;
    if (!cli_read_eval_options(request, &options) || !read_ways(request, ways))
        return CLI_BAD_INPUT;
    const met_circuit *circuit = find_kind(request, ways, &planned) ? cli_load_bound(request, request->arguments[0], planned) : NULL;
    const cli_given *ins = circuit ? cli_read_given(request, circuit) : NULL;
    const met_subject *subject = !ins ? NULL : (planned ? met_subject_to_plan : met_subject_new)(circuit, &options, ins->count, ins->at);
    const met_plan_pair *plans = subject ? compare_plans(subject, ways, &failed) : NULL;
    if (!subject || failed)
        return cli_failed(request);
    return planned ? decide(request, subject, ways, plans) : run(request, subject, ways, plans, options.fill);
}

static const cli_option *const options[] = { own_options, cli_side_point_options, cli_array_options,
                                             cli_point_options, cli_circuit_options, cli_common_options, NULL };

const cli_verb cli_circuit_diff = {
    .noun = "circuit", .verb = "diff", .arguments = "CIRCUIT",
    .summary = "runs a circuit in two ways and compares the bytes",
    .options = options, .run = diff,
};
