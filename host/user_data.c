#include "host/user_data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/diag.h"
#include "host/file.h"

static const met_span nowhere;

/* A relative path is none, as the rules of these directories have it: it would be another one in every directory. */
const char *met_user_data_path(met_session *session, const char *name)
{
    const char *base = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    met_text path = met_text_new(session->arena);
    if (base && base[0] == '/')
        met_text_format(&path, "%s/met/%s", base, name);
    else if (home && home[0] == '/')
        met_text_format(&path, "%s/.local/share/met/%s", home, name);
    else
        return NULL;
    return met_text_done(&path);
}

bool met_user_data_make(met_session *session, const char *path)
{
    char *text = met_arena_text(session->arena, path, strlen(path));
    char *end = strrchr(text, '/');
    for (char *at = text + 1; end && at <= end; at++) {
        if (*at != '/')
            continue;
        *at = 0;
        if (mkdir(text, 0777) != 0 && !met_file_is_directory(text)) {
            int error = errno;
            met_diag_add(session, MET_DIAG_file, nowhere, "cannot make the directory `%s`: %s", text, strerror(error));
            return false;
        }
        *at = '/';
    }
    return true;
}
