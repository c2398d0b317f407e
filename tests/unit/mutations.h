/* Mutations of the blueprint: its files as trees, copied with one place changed, and the blueprint that is read from the copy. */
#ifndef MET_TEST_MUTATIONS_H
#define MET_TEST_MUTATIONS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/file.h"
#include "host/model.h"
#include "host/toml.h"
#include "lkb/lkb.h"

enum { FILES = 10 };

static const struct {
    const char *path, *class; /* NULL: of all classes */
} files[FILES] = {
    { "KERNEL_FAMILIES.toml", NULL },
    { "FUSIONS.toml", NULL },
    { "HARDWARE.toml", NULL },
    { "DEVICES.toml", NULL },
    { "SITES.toml", NULL },
    { "MATRIX_UNITS.toml", NULL },
    { "PRECISION.toml", NULL },
    { "classes/hopper/KERNEL_FAMILIES.toml", "hopper" },
    { "classes/hopper/FUSIONS.toml", "hopper" },
    { "classes/b200/KERNEL_FAMILIES.toml", "b200" },
};

/* Where a change does not apply (a list has no other value, a field cannot stand twice) the place is deleted. */
typedef enum change { CHANGE_VALUE, CHANGE_WORD, DELETE, DOUBLE, CHANGES } change;

/* Copies a tree and changes what stands at one place of it: places are counted in the order of the copy. */
typedef struct copier {
    met_session *to;
    uint32_t at, place;
    change change;
    const char *other; /* of CHANGE_WORD: what the word becomes */
    bool same;         /* the word has become itself */
    char path[256];    /* of fields, down to what is being copied */
    char what[256];    /* the path of the place that is changed */
} copier;

static inline met_value *copy(copier *c, const met_value *value);

static inline bool deletes(const copier *c, const met_value *value, bool field)
{
    bool leaf = value->kind != MET_VALUE_LIST && value->kind != MET_VALUE_TABLE;
    return c->change == DELETE || (c->change == DOUBLE ? field : !leaf);
}

static inline void add_item(copier *c, met_value *list, const met_value *item)
{
    bool here = c->at++ == c->place;
    if (here)
        snprintf(c->what, sizeof c->what, "%s", c->path);
    if (!here || !deletes(c, item, false))
        met_value_append(c->to, list, copy(c, item));
    if (here && c->change == DOUBLE)
        met_value_append(c->to, list, copy(c, item));
}

static inline void add_entry(copier *c, met_value *table, const met_entry *e)
{
    bool here = c->at++ == c->place;
    size_t length = strlen(c->path);
    snprintf(c->path + length, sizeof c->path - length, "%s%s", length ? "." : "", e->key.at);
    if (here)
        snprintf(c->what, sizeof c->what, "%s", c->path);
    if (!here || !deletes(c, e->value, true))
        met_value_add(c->to, table, e->key.at, e->key.length, (met_place){ 0 }, copy(c, e->value));
    c->path[length] = 0;
}

/* The leaf at the place that was counted last. */
static inline met_value *copy_leaf(copier *c, const met_value *value)
{
    met_place nowhere = { 0 };
    bool here = c->at == c->place + 1 && (c->change == CHANGE_VALUE || c->change == CHANGE_WORD);
    met_text text = met_text_new(c->to->arena);
    switch (value->kind) {
    case MET_VALUE_BOOL:
        return met_value_bool(c->to, nowhere, value->boolean != here);
    case MET_VALUE_INTEGER:
        return met_value_integer(c->to, nowhere, here ? value->integer * 2 + 1 : value->integer);
    case MET_VALUE_FLOAT:
        return met_value_float(c->to, nowhere, here ? value->number * 1.25 : value->number);
    case MET_VALUE_STRING:
        met_text_str(&text, value->string);
        if (here && c->change == CHANGE_WORD) {
            c->same = met_str_is(value->string, c->other);
            return met_value_string(c->to, nowhere, c->other, strlen(c->other));
        }
        met_text_put(&text, here ? "x" : "");
        return met_value_string(c->to, nowhere, met_text_done(&text), text.length);
    default:
        return met_value_null(c->to, nowhere);
    }
}

static inline met_value *copy(copier *c, const met_value *value)
{
    met_place nowhere = { 0 };
    if (value->kind == MET_VALUE_LIST) {
        met_value *list = met_value_list(c->to, nowhere);
        for (size_t i = 0; i < value->items.count; i++)
            add_item(c, list, value->items.at[i]);
        return list;
    }
    if (value->kind == MET_VALUE_TABLE) {
        met_value *table = met_value_table(c->to, nowhere);
        for (size_t i = 0; i < value->entries.count; i++)
            add_entry(c, table, &value->entries.at[i]);
        return table;
    }
    return copy_leaf(c, value);
}

static inline uint32_t count_places(const met_value *value)
{
    uint32_t count = 0;
    for (size_t i = 0; value->kind == MET_VALUE_LIST && i < value->items.count; i++)
        count += 1 + count_places(value->items.at[i]);
    for (size_t i = 0; value->kind == MET_VALUE_TABLE && i < value->entries.count; i++)
        count += 1 + count_places(value->entries.at[i].value);
    return count;
}

/* All strings of a file, for a word to become another that may well be allowed there. */
typedef struct word_list {
    met_arena *arena;
    MET_VEC(const char *) words;
} word_list;

static inline void list_words(word_list *list, const met_value *value)
{
    if (value->kind == MET_VALUE_STRING)
        MET_PUSH(list->arena, &list->words, value->string.at);
    for (size_t i = 0; value->kind == MET_VALUE_LIST && i < value->items.count; i++)
        list_words(list, value->items.at[i]);
    for (size_t i = 0; value->kind == MET_VALUE_TABLE && i < value->entries.count; i++)
        list_words(list, value->entries.at[i].value);
}

static inline void put_file(met_lkb_sources *sources, met_lkb_overlay *overlays, size_t file, const met_value *tree)
{
    const met_value **mains[] = { &sources->families, &sources->fusions, &sources->hardware, &sources->devices,
                                   &sources->sites, &sources->units, &sources->precision };
    if (!files[file].class) {
        *mains[file] = tree;
        return;
    }
    met_lkb_overlay *overlay = overlays;
    while (overlay->class_id && strcmp(overlay->class_id, files[file].class) != 0)
        overlay++;
    overlay->class_id = files[file].class;
    *(strstr(files[file].path, "FUSIONS") ? &overlay->fusions : &overlay->families) = tree;
    sources->overlays = overlays;
    uint32_t count = (uint32_t)(overlay - overlays) + 1;
    sources->overlay_count = count > sources->overlay_count ? count : sources->overlay_count;
}

/* The blueprint with one file changed, in a session of its own (c->to); NULL if it is refused. */
static inline const met_lkb *read_changed(const met_value *const *trees, size_t file, copier *c)
{
    met_lkb_sources sources = { 0 };
    met_lkb_overlay overlays[FILES] = { { 0 } };
    c->to = met_session_new();
    for (size_t f = 0; f < FILES; f++) {
        copier plain = { .to = c->to, .place = UINT32_MAX };
        put_file(&sources, overlays, f, copy(f == file ? c : &plain, trees[f]));
    }
    return met_lkb_read(c->to, &sources);
}

static inline uint64_t next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

static inline void load_files(met_session *session, const met_value **trees)
{
    for (size_t f = 0; f < FILES; f++) {
        char path[1024];
        snprintf(path, sizeof path, MET_ROOT_DIR "/kernels/%s", files[f].path);
        trees[f] = met_toml_read(session, met_file_source(session, path));
        assert_non_null(trees[f]);
    }
}

#endif
