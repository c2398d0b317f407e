/* Within src/lkb: what the readers of the four files share. A reader goes on after an error, so that one run reports all; what
 * it made is used only if there was none. */
#ifndef MET_LKB_READ_H
#define MET_LKB_READ_H

#include "lkb/lkb.h"

#define MET_LKB_LIMIT 1000 /* entries of a kind in one file; more are refused */

/* Rules or families as one file states them, with what it removes of the parent's. */
typedef struct met_lkb_removal {
    const char *id;
    met_span span;
} met_lkb_removal;

typedef struct met_family_file {
    uint32_t family_count, removal_count;
    const met_family *families;
    const met_lkb_removal *removals;
} met_family_file;

typedef struct met_rule_file {
    uint32_t rule_count, removal_count;
    const met_rule *rules;
    const met_lkb_removal *removals;
} met_rule_file;

/* A class as HARDWARE.toml states it, before inheritance. */
typedef struct met_class_file {
    met_hardware own; /* its own defaults, capabilities, absences, residuals */
    met_name_list without; /* capabilities of the parent's that it does not have */
    met_span parent_span;
} met_class_file;

typedef struct met_lkb_reader {
    met_session *session;
    met_arena *arena;
    met_lkb *lkb;                        /* what is known so far */
    MET_VEC(met_lkb_tree) trees;
    MET_VEC(met_str) sizes;
    MET_VEC(met_device) devices;
    uint32_t point_count;                /* of all families */
    uint32_t class_count;
    const met_class_file *classes;
} met_lkb_reader;

/* --- field.c: fields of tables, checked. What may be absent leaves *ret as it is. --- */

/* "there is no op `sofmax`", with the nearest of the names or all of them. Returns false. */
bool met_lkb_unknown(met_lkb_reader *r, const met_place *at, const char *what, met_str name, const char *const *names,
                     size_t count);
/* An error of the code `blueprint`. Returns false. */
bool met_lkb_wrong(met_lkb_reader *r, met_span span, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The field of that kind; NULL if absent or wrong. *ret_good becomes false where it is wrong, or missing and required. */
const met_value *met_lkb_field(met_lkb_reader *r, const met_value *table, const char *key, bool required,
                               met_value_kind kind, bool *ret_good);
/* Text of one line, not empty. */
bool met_lkb_text(met_lkb_reader *r, const met_value *table, const char *key, bool required, const char **ret_text);
/* Text made of letters, digits, `_`, `-`, `.`, at most 64. */
bool met_lkb_id(met_lkb_reader *r, const met_value *table, const char *key, const char **ret_id);
bool met_lkb_is_id(met_lkb_reader *r, const met_place *at, met_str text, const char *what);
/* One of the words. */
bool met_lkb_word(met_lkb_reader *r, const met_value *table, const char *key, bool required, const char *const *words,
                  size_t count, uint32_t *ret_word);
/* A number of at least `min`; an integer of at most 2^53 where it is a count. */
bool met_lkb_number(met_lkb_reader *r, const met_value *table, const char *key, bool required, double min, double *ret_number);
bool met_lkb_count(met_lkb_reader *r, const met_value *table, const char *key, bool required, uint64_t min, uint64_t *ret_count);
bool met_lkb_flag(met_lkb_reader *r, const met_value *table, const char *key, bool *ret_flag);
bool met_lkb_format(met_lkb_reader *r, const met_value *table, const char *key, bool *ret_has, met_format *ret_format);
/* A string, or a list of different strings. */
bool met_lkb_names(met_lkb_reader *r, const met_value *table, const char *key, bool required, met_name_list *ret_names);
/* The items of such a field, one by one: a string is its own only item. */
size_t met_lkb_item_count(const met_value *value);
const met_value *met_lkb_item(const met_value *value, size_t i);
/* Every name of such a field is among `names`. */
bool met_lkb_among(met_lkb_reader *r, const met_value *table, const char *key, const char *what, const char *const *names,
                   size_t count);
/* The list of tables `key` of a file; NULL if absent or wrong (*ret_good). At most MET_LKB_LIMIT. */
const met_value *met_lkb_tables(met_lkb_reader *r, const met_value *file, const char *key, bool *ret_good);
/* Ops by their names. */
bool met_lkb_ops(met_lkb_reader *r, const met_value *table, const char *key, uint32_t *ret_count, const met_op_id **ret_ops);
bool met_lkb_op(met_lkb_reader *r, const met_value *name, met_op_id *ret_op);
/* `remove = ["id"]` of a file. */
bool met_lkb_removals(met_lkb_reader *r, const met_value *file, uint32_t *ret_count, const met_lkb_removal **ret_removals);
/* A new id of its kind; a second one is an error that names the first's place. */
bool met_lkb_new(met_lkb_reader *r, met_map *ids, const char *what, const char *id, met_span span, met_span *spans,
                 uint32_t number);

/* --- The files, one .c each --- */

bool met_lkb_read_devices(met_lkb_reader *r, const met_value *file);
/* Capabilities, settings, and what classes state themselves: read first, the others name them. */
bool met_lkb_read_hardware(met_lkb_reader *r, const met_value *file);
/* Capabilities by name; a table of settings, `{ residual = "f32" }`; the setting of that name, NULL with a diagnostic. */
bool met_lkb_capabilities(met_lkb_reader *r, const met_value *table, const char *key, met_name_list *ret_names);
bool met_lkb_settings(met_lkb_reader *r, const met_value *table, const char *key, uint32_t *ret_count,
                      const met_setting **ret_settings);
const met_setting_kind *met_lkb_setting(met_lkb_reader *r, const met_place *at, met_str name);
/* Of the main file every step has a row; an overlay states those that it changes, which join the parent's. */
bool met_lkb_read_policy(met_lkb_reader *r, const met_value *file, bool overlay, met_policy *ret_policy);
met_policy met_lkb_join_policy(met_arena *arena, const met_policy *parent, const met_policy *own);
/* `departs = { accumulate = "e8m13" }` of a family or a rule; "there is no step `acumulate`". The latter returns false. */
bool met_lkb_read_departs(met_lkb_reader *r, const met_value *table, met_departs_list *ret_list);
bool met_lkb_unknown_step(met_lkb_reader *r, const met_place *at, met_str name);
/* Before families, whose trees name units. */
bool met_lkb_read_units(met_lkb_reader *r, const met_value *file);
/* `unit = "hopper"` of a tree: one that exists and has the tree's nodes. */
bool met_lkb_check_unit(met_lkb_reader *r, const met_value *table, met_lkb_tree *tree);
/* Trees and roles join those of the reader. `roles` may be stated in the main file only. */
bool met_lkb_read_families(met_lkb_reader *r, const met_value *file, bool overlay, met_family_file *ret_file);
/* Names of roles; an option of one of the family's ops. */
bool met_lkb_read_role_names(met_lkb_reader *r, const met_value *table, const char *key, met_name_list *ret_roles);
bool met_lkb_family_option(const met_family *family, const char *name, met_option *ret_option);
bool met_lkb_read_points(met_lkb_reader *r, const met_value *table, met_family *family);
bool met_lkb_read_pipeline(met_lkb_reader *r, const met_value *table, met_family *family);
bool met_lkb_read_rules(met_lkb_reader *r, const met_value *file, met_rule_file *ret_file);
bool met_lkb_read_sites(met_lkb_reader *r, const met_value *file);
bool met_lkb_read_pattern(met_lkb_reader *r, const met_value *rule, met_rule *ret_rule);

/* Builds lkb->hardware from what the files state (inherit.c), and checks every class as a whole (check.c). */
bool met_lkb_inherit(met_lkb_reader *r, const met_family_file *families, const met_rule_file *rules, const met_policy *policy,
                     const met_lkb_sources *sources);
/* Families that a class inherits or states, also those that do not survive; and those that its file takes away. */
typedef struct met_class_families {
    uint32_t count, removed_count;
    const met_family *const *all, *const *removed;
} met_class_families;

/* `own_families` and `own_rules` are those of the class's own files. */
bool met_lkb_check_class(met_lkb_reader *r, const met_hardware *hardware, const met_class_families *families,
                         const met_hardware *own, const met_family_file *own_families, const met_rule_file *own_rules);

/* The canonical text of the blueprint, hashed. */
const char *met_lkb_digest_of(met_arena *arena, const met_lkb *lkb);

#endif
