#include "cli/tree_options.h"

#include "cli/values.h"

const cli_option cli_tree_options[] = {
    { "n", 0, "N", "terms of the fold; of a written tree, those it has" },
    { "set", 0, "NAME=N,…", "sizes, where widths are expressions" },
    { 0 },
};

bool cli_read_tree_request(const cli_request *request, met_tree_request *ret_request)
{
    *ret_request = (met_tree_request){ .sizes = cli_value(request, "set") };
    return cli_read_count_within(request, "n", 1, UINT64_MAX, &ret_request->n);
}

bool cli_read_compare_request(const cli_request *request, met_tree_request *ret_request)
{
    bool good = cli_read_tree_request(request, ret_request);
    ret_request->dtype = cli_value(request, "dtype");
    ret_request->sum = cli_flag(request, "sum");
    return good;
}

const met_tree_compared *cli_compare_trees(const cli_request *request, const met_lkb *lkb)
{
    met_tree_request asked;
    bool good = lkb && cli_read_compare_request(request, &asked);
    return good ? met_tree_compare_sources(request->session, lkb, request->arguments, &asked) : NULL;
}
