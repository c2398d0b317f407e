/* The seam between toml.c and toml.cpp, which is the only C++ in met: what the C++ side calls to build the tree.
 * Positions are as toml++ has them: lines and columns from 1, a column being one code point. */
#ifndef MET_HOST_TOML_BUILDER_H
#define MET_HOST_TOML_BUILDER_H

#include "met/value.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct met_toml_region {
    uint32_t begin_line, begin_column;
    uint32_t end_line, end_column;
} met_toml_region;

typedef struct met_toml_builder met_toml_builder;

met_value *met_toml_bool(met_toml_builder *builder, met_toml_region region, bool b);
met_value *met_toml_integer(met_toml_builder *builder, met_toml_region region, int64_t i);
met_value *met_toml_float(met_toml_builder *builder, met_toml_region region, double d);
met_value *met_toml_string(met_toml_builder *builder, met_toml_region region, const char *text, size_t length);
met_value *met_toml_list(met_toml_builder *builder, met_toml_region region);
met_value *met_toml_table(met_toml_builder *builder, met_toml_region region);
void met_toml_append(met_toml_builder *builder, met_value *list, met_value *item);
void met_toml_add(met_toml_builder *builder, met_value *table, const char *key, size_t key_length,
                  met_toml_region key_region, met_value *item);
/* A date or a time: a diagnostic, and a null in its place. */
met_value *met_toml_date(met_toml_builder *builder, met_toml_region region);
void met_toml_fail(met_toml_builder *builder, met_toml_region region, const char *message, size_t length);

void met_toml_no_memory(void); /* does not return */

/* In toml.cpp: parses and builds; NULL after met_toml_fail. Throws nothing. */
met_value *met_toml_parse(met_toml_builder *builder, const char *text, size_t length);

#ifdef __cplusplus
}
#endif
#endif
