/* Where what met learns about a machine is kept between runs: device records and evidence. */
#ifndef MET_HOST_USER_DATA_H
#define MET_HOST_USER_DATA_H

#include "met/session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The path of a name in the user's data directory for met, which is $XDG_DATA_HOME/met, or $HOME/.local/share/met; NULL if
 * neither names one. Nothing need be there. */
const char *met_user_data_path(met_session *session, const char *name);
/* Makes the directories above the last part of a path that are missing. False with a diagnostic `file`. */
bool met_user_data_make(met_session *session, const char *path);

#ifdef __cplusplus
}
#endif
#endif
