#include "cli/tree_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/values.h"

const cli_option cli_tree_options[] = {
    { "n", 0, "N", "terms of the fold; of a written tree, those it has" },
    { "set", 0, "NAME=N,…", "sizes, where widths are expressions" },
    { 0 },
};

/* NAME=N, and more of them after commas. */
static bool are_sizes(const char *text)
{
    for (bool more = true; more; text++) {
        size_t name = strcspn(text, "=,"), digits = text[name] == '=' ? strspn(text + name + 1, "0123456789") : 0;
        errno = 0;
        if (name == 0 || digits == 0)
            return false;
        strtoull(text + name + 1, NULL, 10);
        text += name + 1 + digits;
        more = *text == ',';
        if (errno || (*text && !more))
            return false;
    }
    return true;
}

bool cli_read_tree_request(const cli_request *request, met_tree_request *ret_request)
{
    *ret_request = (met_tree_request){ .sizes = cli_value(request, "set") };
    if (!cli_read_count_within(request, "n", 1, UINT64_MAX, &ret_request->n))
        return false;
    if (ret_request->sizes && !are_sizes(ret_request->sizes)) {
        cli_usage_error(request, "--set takes sizes such as k=4096,h=8, not `%s`", ret_request->sizes);
        return false;
    }
    return true;
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
