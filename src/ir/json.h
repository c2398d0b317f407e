/* What the writer and the reader of the JSON form share. The functions are in met/circuit.h. */
#ifndef MET_IR_JSON_H
#define MET_IR_JSON_H

#include "ir/circuit.h"

#define MET_CIRCUIT_SCHEMA "met-circuit"
#define MET_CIRCUIT_VERSION 1

/* By met_edge_role. */
extern const char *const met_role_names[4];

/* json_read_terms.c: expressions within a circuit. Names of sizes are looked up in `sizes`. NULL or false with
 * diagnostics. */
typedef struct met_json_names {
    met_session *session;
    met_map *sizes, *axes, *edges;
} met_json_names;

struct met_value;

/* json_fields.c: fields of a table, all required. False or NULL with diagnostics. */

/* Whether a value is a table with these fields (ended by NULL) and no others: a version has no optional ones. */
bool met_json_table(met_session *session, const struct met_value *value, const char *what, const char *const *keys);
const struct met_value *met_json_list(met_session *session, const struct met_value *table, const char *key);
bool met_json_string(met_session *session, const struct met_value *table, const char *key, met_sym *ret_sym);
bool met_json_name(met_session *session, const struct met_value *table, const char *key, met_sym *ret_sym);
bool met_json_bool(met_session *session, const struct met_value *table, const char *key, bool *ret_bool);
bool met_json_count(met_session *session, const struct met_value *value, const char *what, uint32_t *ret_n);
bool met_json_count_field(met_session *session, const struct met_value *table, const char *key, uint32_t *ret_n);
/* null, which gives MET_NONE, or a number. */
bool met_json_optional(met_session *session, const struct met_value *table, const char *key, uint32_t *ret_n);
bool met_json_format(met_session *session, const struct met_value *table, const char *key, met_format *ret_format);
/* The number that a name has in `map`. */
bool met_json_look_up(met_session *session, met_map *map, const struct met_value *value, const char *what, uint32_t *ret_id);
/* Gives it one; a name is there once. */
bool met_json_declare(met_session *session, met_map *map, const struct met_value *item, met_sym name, uint32_t id);

const met_dim *met_json_dim(const met_json_names *names, const struct met_value *value);
bool met_json_affine(const met_json_names *names, const struct met_value *value, met_affine *ret_affine);
const met_scalar *met_json_scalar(const met_json_names *names, const struct met_value *value);
bool met_json_number(const met_json_names *names, const struct met_value *value, double *ret_number);

#endif
