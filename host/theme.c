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

/* "blueprint, paper": what the places have. */
static const char *list_themes(met_session *session)
{
    const char *places[PLACES];
    list_places(places);
    return met_file_stems(session, PLACES, places);
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
