/* The state of reading one circuit from JSON, and typed access to fields: what json_read.c, json_read_node.c and
 * json_read_fields.c share. Everything returns false or NULL with a diagnostic. */
#ifndef MET_IR_JSON_READ_PARTS_H
#define MET_IR_JSON_READ_PARTS_H

#include "base/value.h"
#include "ir/json.h"

typedef struct met_json_reader {
    met_session *session;
    met_arena *arena;
    met_circuit *c;
    met_json_names names;
    const met_value *root;
    met_edge *edges;
} met_json_reader;

/* A table with these fields and no others. */
bool met_json_table(met_json_reader *r, const met_value *value, const char *what, const char *const *keys);
const met_value *met_json_list(met_json_reader *r, const met_value *table, const char *key);
bool met_json_string(met_json_reader *r, const met_value *table, const char *key, met_sym *ret_sym);
/* A string that the language can say as a name, so that listings read back. Labels may be numbers. */
bool met_json_name(met_json_reader *r, const met_value *table, const char *key, met_sym *ret_sym);
bool met_json_bool(met_json_reader *r, const met_value *table, const char *key, bool *ret_bool);
bool met_json_natural(met_json_reader *r, const met_value *value, const char *what, uint32_t *ret_n);
bool met_json_natural_field(met_json_reader *r, const met_value *table, const char *key, uint32_t *ret_n);
/* null gives MET_NONE */
bool met_json_optional(met_json_reader *r, const met_value *table, const char *key, uint32_t *ret_n);
bool met_json_format(met_json_reader *r, const met_value *table, const char *key, met_format *ret_format);
/* The id of a name in a map; `what` says what the name should be of. */
bool met_json_look_up(met_json_reader *r, met_map *map, const met_value *value, const char *what, uint32_t *ret_id);
/* Gives a new name an id. */
bool met_json_declare(met_json_reader *r, met_map *map, const met_value *item, met_sym name, uint32_t id);
/* The number of one of a few words. */
bool met_json_word(met_json_reader *r, const met_value *item, const char *key, const char *const *words, int count, int *ret_number);
bool met_json_numbers(met_json_reader *r, const met_value *item, const char *key, const uint32_t **ret_numbers, uint32_t *ret_count);

/* json_read_node.c */
bool met_json_nodes(met_json_reader *r);

#endif
