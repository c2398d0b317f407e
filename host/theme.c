#include "host/theme.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "host/file.h"
#include "host/toml.h"

static const char *find_theme(met_session *session, const char *name)
{
    const char *places[] = { getenv("MET_THEMES"), MET_ROOT_DIR "/share/themes", MET_DATA_DIR "/themes" };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (!places[i] || !*places[i])
            continue;
        met_text path = met_text_new(session->arena);
        met_text_format(&path, "%s/%s.toml", places[i], name);
        if (met_file_exists(met_text_done(&path)))
            return met_text_done(&path);
    }
    met_span nowhere = { 0, 0, 0 };
    met_diag *diag = met_diag_add(session, MET_DIAG_file, nowhere, "there is no theme `%s`", name);
    met_diag_help(diag, "give a file, or put %s.toml into $MET_THEMES", name);
    return NULL;
}

met_value *met_theme_load(met_session *session, const char *name)
{
    size_t length = strlen(name);
    bool file = strchr(name, '/') || (length >= 5 && strcmp(name + length - 5, ".toml") == 0);
    const char *path = file ? name : find_theme(session, name);
    uint32_t source = path ? met_file_source(session, path) : 0;
    return source ? met_toml_read(session, source) : NULL;
}
