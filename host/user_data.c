#include "host/user_data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/diag.h"
#include "host/file.h"

static const met_span nowhere;

static const char *join(met_session *session, const char *a, const char *b)
{
    met_text path = met_text_new(session->arena);
    met_text_format(&path, "%s/%s", a, b);
    return met_text_done(&path);
}

const char *met_user_data(met_session *session)
{
    const char *base = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (base && base[0] == '/')
        return join(session, base, "met");
    return home && home[0] == '/' ? join(session, home, ".local/share/met") : NULL;
}

/* Makes the directories above the last part of a path. */
static bool make_above(met_session *session, const char *path)
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

const char *met_user_data_path(met_session *session, const char *name, bool make)
{
    const char *directory = met_user_data(session);
    if (!directory) {
        if (make)
            met_diag_help(met_diag_add(session, MET_DIAG_file, nowhere, "there is no place to keep `%s`", name),
                          "$XDG_DATA_HOME or $HOME names the directory; or name the file itself");
        return NULL;
    }
    const char *path = join(session, directory, name);
    return !make || make_above(session, path) ? path : NULL;
}
