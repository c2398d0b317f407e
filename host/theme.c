#include "host/theme.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "host/file.h"
#include "host/toml.h"

enum { PLACES = 3 };

static void list_places(const char *ret_places[PLACES])
{
    ret_places[0] = getenv("MET_THEMES");
    ret_places[1] = MET_ROOT_DIR "/share/themes";
    ret_places[2] = MET_DATA_DIR "/themes";
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* "blueprint, paper": what the places have. */
static const char *list_themes(met_session *session)
{
    MET_VEC(const char *) names = { 0 };
    const char *places[PLACES];
    list_places(places);
    for (size_t i = 0; i < PLACES; i++) {
        DIR *directory = places[i] && *places[i] ? opendir(places[i]) : NULL;
        for (struct dirent *entry; directory && (entry = readdir(directory));) {
            size_t length = strlen(entry->d_name);
            if (length > 5 && *entry->d_name != '.' && !strcmp(entry->d_name + length - 5, ".toml"))
                MET_PUSH(session->arena, &names, met_arena_text(session->arena, entry->d_name, length - 5));
        }
        if (directory)
            closedir(directory);
    }
    if (names.count)
        qsort(names.at, names.count, sizeof *names.at, by_bytes);
    met_text list = met_text_new(session->arena);
    for (size_t i = 0; i < names.count; i++)
        if (i == 0 || strcmp(names.at[i - 1], names.at[i]) != 0) /* two places may have one */
            met_text_format(&list, "%s%s", list.length ? ", " : "", names.at[i]);
    return met_text_done(&list);
}

static const char *find_theme(met_session *session, const char *name)
{
    const char *places[PLACES];
    list_places(places);
    for (size_t i = 0; *name && i < PLACES; i++) {
        if (!places[i] || !*places[i])
            continue;
        met_text path = met_text_new(session->arena);
        met_text_format(&path, "%s/%s.toml", places[i], name);
        if (met_file_exists(met_text_done(&path)))
            return met_text_done(&path);
    }
    met_span nowhere = { 0, 0, 0 };
    const char *names = list_themes(session);
    met_diag *diag = met_diag_add(session, MET_DIAG_file, nowhere, "there is no theme `%s`", name);
    met_diag_help(diag, "%s%s%sa file of your own is given by its path: mine.toml", *names ? "themes are: " : "", names, *names ? "; " : "");
    return NULL;
}

met_value *met_theme_load(met_session *session, const char *name)
{
    size_t length = strlen(name);
    if (met_file_is_directory(name) && (*name == '.' || strchr(name, '/'))) {
        met_diag *diag = met_diag_add(session, MET_DIAG_file, (met_span){ 0, 0, 0 }, "`%s` is a directory, not a theme", name);
        met_diag_help(diag, "themes are: %s; a file of your own is given by its path: mine.toml", list_themes(session));
        return NULL;
    }
    bool file = strchr(name, '/') || (length >= 5 && strcmp(name + length - 5, ".toml") == 0);
    const char *path = file ? name : find_theme(session, name);
    uint32_t source = path ? met_file_source(session, path) : 0;
    return source ? met_toml_read(session, source) : NULL;
}
