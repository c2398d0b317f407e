/* Records of folds as programs carry them, by node of the settled circuit, and whether those of two programs promise the
 * same bits. */
#ifndef MET_AUDIT_RECORDS_H
#define MET_AUDIT_RECORDS_H

#include "audit/toy.h"
#include "number/tree_compare.h"
#include "realize/program.h"

typedef struct met_record_map {
    const met_circuit *circuit; /* settled */
    const met_tree *trees;      /* by node */
    const bool *known;          /* by node */
} met_record_map;

/* The records of what a lowering of a toy becomes on a class; the program itself is forgotten, since its texts are large. False
 * with diagnostics. */
bool met_toy_records(const met_toy *toy, const met_lowering *lowering, const met_class *class, met_record_map *ret_records);

/* Whether the bits of a node of a settled circuit depend on how it is bracketed. */
bool met_node_has_tree(const met_circuit *circuit, const met_node *node);
/* How many terms it folds. */
uint64_t met_node_terms(const met_circuit *circuit, const met_node *node);

/* What a lowering of a toy becomes on a class that can be written for. NULL with diagnostics. */
const met_program *met_toy_program(const met_toy *toy, const met_lowering *lowering, const met_class *class);

#endif
