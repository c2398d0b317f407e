/* What the parts of the checker share. Nothing else includes this. */
#ifndef MET_IR_CHECK_PARTS_H
#define MET_IR_CHECK_PARTS_H

#include "base/diag.h"
#include "ir/check.h"

/* Beyond any array in memory, and small enough that sums of products of two of them fit 64 bits. */
#define MET_CHECK_SIZE ((uint64_t)1 << 48)

/* Each adds a diagnostic and returns false. */
bool met_broken(const met_circuit *c, const char *what);
bool met_broken_edge(const met_circuit *c, const met_edge *edge, const char *what);
bool met_broken_node(const met_circuit *c, const met_node *node, const char *what);

/* check_sizes.c: a size that is free or positive, over symbols that are free. */
bool met_check_dim(const met_circuit *c, const met_dim *dim);
bool met_check_sizes(const met_circuit *c);

/* check_node.c: what every node keeps to. */
bool met_check_node(const met_circuit *c, uint32_t n);
/* Whether some position of an access follows an index. */
bool met_access_reads(const met_access *access, uint32_t index);

/* check_options.c: options and formulas. */
bool met_check_options(const met_circuit *c, const met_node *node);
/* What an option of one word says. */
bool met_check_word_is(const met_circuit *c, const met_node *node, met_str option, const char *word);

/* check_op.c: what the row of a node's op asks for. The node is sound otherwise. */
bool met_check_op(const met_circuit *c, const met_node *node);

#endif
