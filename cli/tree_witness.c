/* met tree witness: an input on which two records differ, as arrays. */
#include "cli/tree_options.h"

static const cli_option own_options[] = {
    { "dtype", 0, "FORMAT", "of the operands, as met tree compare takes it" },
    { "sum", 0, NULL, "numbers are folded, not products" },
    { "output", 'o', "PREFIX", "PREFIX_a.npy and PREFIX_b.npy; witness otherwise" },
    { 0 },
};

static int witness(const cli_request *request)
{
    const char *prefix = cli_value(request, "output") ? cli_value(request, "output") : "witness";
    const met_tree_compared *compared = cli_compare_trees(request, cli_load_blueprint(request));
    if (!compared)
        return cli_failed(request);
    bool found = met_tree_compared_input(compared);
    if (found && !met_tree_compared_write(compared, prefix))
        return cli_failed(request);
    const char *text = cli_flag(request, "json") ? met_tree_compared_json(compared) : met_tree_compared_text(compared, prefix);
    return cli_answer_check(request, text, found);
}

static const cli_option *const options[] = { cli_tree_options, own_options, cli_kernels_options, cli_common_options, NULL };

const cli_verb cli_tree_witness = {
    .noun = "tree", .verb = "witness", .arguments = "A B",
    .summary = "writes an input on which two records give different bits",
    .options = options, .run = witness,
};
