/* Printing nodes and circuits in the language. */
#ifndef MET_IR_PRINT_H
#define MET_IR_PRINT_H

#include "ir/circuit.h"

/* Labels for the indices of a node, unique within it: the axis's name where it can be, otherwise the label as written. */
void met_node_labels(const met_circuit *circuit, const met_node *node, met_sym *ret_labels);

/* A dim expression in the circuit's names. */
void met_circuit_dim_print(met_text *out, const met_circuit *circuit, const met_dim *dim);
/* `=h*d`: the size of an axis as one word; the second only if the axis is not called like its size. */
void met_size_print(met_text *out, const met_circuit *circuit, met_axis_id axis);
void met_axis_size_print(met_text *out, const met_circuit *circuit, met_axis_id axis, met_sym label);

/* `bf16[h q x]`: what the header of a listing says of an edge. With sizes where they are not called like the axis. */
void met_edge_type_print(met_text *out, const met_circuit *circuit, const met_edge *edge);

/* A guard of an edge, `q - x >= 0`, in the names of the edge's axes. */
void met_guard_print(met_text *out, const met_circuit *circuit, const met_edge *edge, const met_guard *guard);

/* True if reading the node's equation would give its results other formats than they have: the listing then says them,
 * `: f32`. */
bool met_node_stores(const met_circuit *circuit, const met_node *node);

/* The right-hand side of a node's equation: `softmax[x](v2)`. `introduced`: axes that the listing has shown, by id;
 * sizes of new ones are written, and they are marked. */
void met_node_print(met_text *out, const met_circuit *circuit, const met_node *node, bool *introduced);

#endif
