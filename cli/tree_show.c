/* met tree show: a record, and the tree that it gives for a length. */
#include "cli/tree_options.h"
#include "cli/values.h"
#include "met/draw.h"

static const cli_option own_options[] = {
    { "format", 0, "FORMAT", "text (the default) or svg" },
    { "output", 'o', "FILE", "where to write; standard output otherwise" },
    { 0 },
};

static int show(const cli_request *request)
{
    met_tree_request asked;
    static const char *const formats[] = { "text", "svg", NULL };
    int svg = 0;
    if (!cli_read_tree_request(request, &asked) || !cli_read_word(request, "format", formats, &svg))
        return CLI_BAD_INPUT;
    const met_lkb *lkb = cli_load_blueprint(request);
    const met_tree_named *named = lkb ? met_tree_source(request->session, lkb, request->arguments[0], &asked) : NULL;
    if (!named)
        return cli_failed(request);
    const struct met_tree *tree = named->tree;
    uint64_t n = asked.n ? asked.n : met_tree_length(tree);
    const char *text = svg                        ? met_draw_tree(request->session, tree, n)
                       : cli_flag(request, "json") ? met_tree_show_json(request->session, tree, n)
                                                   : met_tree_show_text(request->session, named, n);
    return cli_answer(request, cli_value(request, "output"), text);
}

static const cli_option *const options[] = { cli_tree_options, own_options, cli_kernels_options, cli_common_options, NULL };

const cli_verb cli_tree_show = {
    .noun = "tree", .verb = "show", .arguments = "KERNEL@CLASS|FILE|RECORD",
    .summary = "prints the record of a fold and draws the tree that it gives for a length",
    .options = options, .run = show,
};
