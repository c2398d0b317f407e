/* What the verbs about trees have in common. */
#ifndef MET_CLI_TREE_OPTIONS_H
#define MET_CLI_TREE_OPTIONS_H

#include "cli/blueprint.h"
#include "host/tree_source.h"

extern const cli_option cli_tree_options[]; /* --n, --set */

/* False with a diagnostic. */
bool cli_read_tree_request(const cli_request *request, met_tree_request *ret_request);
/* Of the two arguments, with --n, --set, --dtype and --sum. NULL with diagnostics. */
const met_tree_compared *cli_compare_trees(const cli_request *request);

#endif
