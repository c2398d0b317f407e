/* met tree compare: whether two records give the same bits, with an input if they do not. */
#include <string.h>

#include "cli/tree_options.h"

static const cli_option own_options[] = {
    { "dtype", 0, "FORMAT", "of the operands: f64, f32, tf32, bf16, f16, e5m2 or e4m3; without it what units take, else f32" },
    { "sum", 0, NULL, "numbers are folded, not products" },
    { "witness", 0, "PREFIX", "writes the input on which they differ as PREFIX_a.npy and PREFIX_b.npy" },
    { 0 },
};

static int write_result(const cli_request *request, const met_tree_compared *compared, const char *prefix)
{
    const char *text = cli_flag(request, "json") ? met_tree_compared_json(compared) : met_tree_compared_text(compared, prefix);
    if (prefix && met_tree_compared_input(compared) && !met_tree_compared_write(compared, prefix))
        return cli_failed(request);
    return cli_write(request, NULL, text, strlen(text));
}

static int compare(const cli_request *request)
{
    const met_tree_compared *compared = cli_compare_trees(request);
    if (!compared)
        return cli_failed(request);
    int status = write_result(request, compared, cli_value(request, "witness"));
    return status != CLI_DONE ? status : met_tree_compared_same(compared) ? CLI_DONE : CLI_CHECK_FAILED;
}

static const cli_option *const compare_options[] = { cli_tree_options, own_options, cli_kernels_options, cli_common_options, NULL };

const cli_verb cli_tree_compare = {
    "tree", "compare", "A B", 2, "says whether two records give the same bits, and an input on which they do not", compare_options, compare,
};
