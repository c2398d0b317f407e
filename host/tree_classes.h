/* Two classes compared by what their families declare: the trees of the kernels that both have. */
#ifndef MET_HOST_TREE_CLASSES_H
#define MET_HOST_TREE_CLASSES_H

#include "host/tree_source.h"

typedef struct met_tree_classes met_tree_classes;

/* Whether the name is of a class or a device. */
bool met_tree_is_class(const met_lkb *lkb, const char *name);
/* Both names are such. Every kernel at the request's length, and in its format, or else in one that both trees are declared
 * for. NULL with diagnostics. */
const met_tree_classes *met_tree_compare_classes(met_session *session, const met_lkb *lkb, const char *const names[2],
                                                 const met_tree_request *request);
/* Every kernel that both have is the same. */
bool met_tree_classes_same(const met_tree_classes *classes);
const char *met_tree_classes_text(const met_tree_classes *classes);
const char *met_tree_classes_json(const met_tree_classes *classes);

#endif
