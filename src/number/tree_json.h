/* The JSON of records (number/tree.h), both ways: docs/formats/tree-json.md. What met tree show --json prints and what a probe
 * writes. */
#ifndef MET_NUMBER_TREE_JSON_H
#define MET_NUMBER_TREE_JSON_H

#include "base/value.h"
#include "number/tree.h"

/* What the field "format" says. */
#define MET_TREE_FORMAT "met-tree-1"

/* One object, on several lines, each after `indent` spaces. */
void met_tree_print_json(met_text *out, const met_tree *tree, const met_tree_names *names, int indent);
/* With a field `about`, which is JSON already. */
void met_tree_print_json_about(met_text *out, const met_tree *tree, const char *about);
/* The record that an object says; what its written tree and its expressions need lives in the session. False with
 * diagnostics. */
bool met_tree_of_value(met_session *session, const met_value *value, const met_tree_names *names, met_tree *ret_tree);

/* The record of a text: comments from # to the end of a line, the rest as met_tree_read takes it, in f32 unless it says
 * otherwise. `source` is where it stands, for diagnostics. */
bool met_tree_of_source(met_session *session, uint32_t source, const met_tree_names *names, met_tree *ret_tree);

#endif
