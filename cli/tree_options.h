/* What the verbs about trees have in common. */
#ifndef MET_CLI_TREE_OPTIONS_H
#define MET_CLI_TREE_OPTIONS_H

#include "cli/blueprint.h"
#include "host/tree_source.h"

extern const cli_option cli_tree_options[]; /* --n, --set */

/* False with a diagnostic. */
bool cli_read_tree_request(const cli_request *request, met_tree_request *ret_request);
/* --n, --set, --dtype and --sum. False with a diagnostic. */
bool cli_read_compare_request(const cli_request *request, met_tree_request *ret_request);
/* Of the two arguments, with those. NULL with diagnostics, also if `lkb` is NULL. */
const met_tree_compared *cli_compare_trees(const cli_request *request, const met_lkb *lkb);

#endif
