/* What is in directories: names to choose from, for messages. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/session.h"
#include "base/text.h"
#include "base/vec.h"
#include "host/file.h"

typedef MET_VEC(const char *) name_list;

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_stems(met_session *session, const char *path, name_list *names)
{
    DIR *directory = path && *path ? opendir(path) : NULL;
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        size_t length = strlen(entry->d_name);
        if (length > 5 && *entry->d_name != '.' && !strcmp(entry->d_name + length - 5, ".toml"))
            MET_PUSH(session->arena, names, met_arena_text(session->arena, entry->d_name, length - 5));
    }
    if (directory)
        closedir(directory);
}

const char *const *met_file_stem_list(met_session *session, size_t count, const char *const *directories, size_t *ret_count)
{
    name_list names = { 0 };
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        add_stems(session, directories[i], &names);
    if (names.count)
        qsort(names.at, names.count, sizeof *names.at, by_bytes);
    for (size_t i = 0; i < names.count; i++)
        if (i == 0 || strcmp(names.at[kept - 1], names.at[i]) != 0)
            names.at[kept++] = names.at[i];
    *ret_count = kept;
    return names.at;
}

const char *met_file_stems(met_session *session, size_t count, const char *const *directories)
{
    size_t found;
    const char *const *names = met_file_stem_list(session, count, directories, &found);
    met_text list = met_text_new(session->arena);
    for (size_t i = 0; i < found; i++)
        met_text_format(&list, "%s%s", i ? ", " : "", names[i]);
    return met_text_done(&list);
}
