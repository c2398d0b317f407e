/* What the writer and the reader of the JSON form share. The functions are in met/circuit.h. */
#ifndef MET_IR_JSON_H
#define MET_IR_JSON_H

#include "ir/circuit.h"

#define MET_CIRCUIT_SCHEMA "met-circuit"
#define MET_CIRCUIT_VERSION 1

/* By met_edge_role and by met_format_origin. */
extern const char *const met_origin_names[3];
extern const char *const met_role_names[4];

/* json_read_terms.c: expressions within a circuit. Names of sizes are looked up in `sizes`. NULL or false with
 * diagnostics. */
typedef struct met_json_names {
    met_session *session;
    met_map *sizes, *axes, *edges;
} met_json_names;

struct met_value;
const met_dim *met_json_dim(const met_json_names *names, const struct met_value *value);
bool met_json_affine(const met_json_names *names, const struct met_value *value, met_affine *ret_affine);
const met_scalar *met_json_scalar(const met_json_names *names, const struct met_value *value);
bool met_json_number(const met_json_names *names, const struct met_value *value, double *ret_number);

#endif
