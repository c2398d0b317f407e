#include "host/checkpoint_names.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "base/value.h"
#include "host/file.h"
#include "host/model.h"
#include "host/toml.h"

static const met_value *read_file(met_session *session, const char *kernels)
{
    const char *folder = met_kernels_directory(session, kernels);
    met_text path = met_text_new(session->arena);
    if (!folder)
        return NULL;
    met_text_format(&path, "%s/CHECKPOINTS.toml", folder);
    uint32_t source = met_file_source(session, met_text_done(&path));
    return source ? met_toml_read(session, source) : NULL;
}

static bool add_name(met_session *session, met_checkpoint_names *names, met_str parameter, const met_value *stored)
{
    met_checkpoint_name name = { parameter, { NULL, 0 } };
    if (stored->kind == MET_VALUE_LIST) {
        for (size_t i = 0; i < stored->items.count; i++)
            if (!add_name(session, names, parameter, stored->items.at[i]))
                return false;
        return true;
    }
    if (!met_value_to_string(session, stored, "the name of a tensor", &name.stored))
        return false;
    MET_PUSH(session->arena, &names->names, name);
    return true;
}

static bool add_group(met_session *session, const met_value *root, const met_value *name, met_checkpoint_names *names)
{
    met_str text;
    const met_value *groups = met_value_require(session, root, "groups");
    if (!groups || !met_value_to_string(session, name, "the name of a group", &text))
        return false;
    const met_value *group = met_value_require(session, groups, met_arena_text(session->arena, text.at, text.length));
    if (!group || !met_value_expect(session, group, MET_VALUE_TABLE, "a group"))
        return false;
    for (size_t i = 0; i < group->entries.count; i++)
        if (!add_name(session, names, group->entries.at[i].key, group->entries.at[i].value))
            return false;
    return true;
}

static bool read_ignored(met_session *session, const met_value *root, met_checkpoint_names *names)
{
    const met_value *table = met_value_get(root, "ignored"), *list = table ? met_value_require(session, table, "names") : NULL;
    if (!table)
        return true;
    if (!list || !met_value_expect(session, list, MET_VALUE_LIST, "`names`"))
        return false;
    for (size_t i = 0; i < list->items.count; i++) {
        met_str name;
        if (!met_value_to_string(session, list->items.at[i], "the name of a tensor", &name))
            return false;
        MET_PUSH(session->arena, &names->ignored, name);
    }
    return true;
}

const met_checkpoint_names *met_checkpoint_names_read(met_session *session, const char *kernels, met_str architecture)
{
    met_checkpoint_names *names = MET_NEW(session->arena, met_checkpoint_names);
    const met_value *root = read_file(session, kernels);
    const met_value *all = root ? met_value_require(session, root, "architectures") : NULL;
    if (!all || !met_value_expect(session, all, MET_VALUE_TABLE, "`architectures`"))
        return NULL;
    const met_value *groups = met_value_get(all, met_arena_text(session->arena, architecture.at, architecture.length));
    if (!groups)
        return names;
    if (!met_value_expect(session, groups, MET_VALUE_LIST, "the groups of an architecture") || !read_ignored(session, root, names))
        return NULL;
    for (size_t i = groups->items.count; i-- > 0;)
        if (!add_group(session, root, groups->items.at[i], names))
            return NULL;
    return names;
}

/* --- Patterns --- */

static size_t find(met_str text, const char *what)
{
    size_t length = strlen(what);
    for (size_t i = 0; i + length <= text.length; i++)
        if (memcmp(text.at + i, what, length) == 0)
            return i;
    return text.length;
}

bool met_checkpoint_fits(met_str pattern, met_str name, met_str *ret_number)
{
    size_t before = find(pattern, "{}"), after = before < pattern.length ? pattern.length - before - 2 : 0;
    *ret_number = (met_str){ "", 0 };
    if (before == pattern.length)
        return met_str_equal(pattern, name);
    if (name.length <= before + after || memcmp(name.at, pattern.at, before) != 0 ||
        memcmp(name.at + name.length - after, pattern.at + pattern.length - after, after) != 0)
        return false;
    *ret_number = (met_str){ name.at + before, name.length - before - after };
    for (size_t i = 0; i < ret_number->length; i++)
        if (ret_number->at[i] < '0' || ret_number->at[i] > '9')
            return false;
    return true;
}

const char *met_checkpoint_fill(met_session *session, met_str pattern, met_str number, uint64_t expert, bool *ret_experts)
{
    met_text out = met_text_new(session->arena);
    *ret_experts = false;
    while (pattern.length > 0) {
        bool layer = find(pattern, "{}") == 0, one = find(pattern, "{e}") == 0;
        if (layer)
            met_text_str(&out, number);
        else if (one)
            met_text_format(&out, "%" PRIu64, expert);
        else
            met_text_char(&out, *pattern.at);
        size_t step = layer ? 2 : one ? 3 : 1;
        *ret_experts = *ret_experts || one;
        pattern = (met_str){ pattern.at + step, pattern.length - step };
    }
    return met_text_done(&out);
}
