/* Where what met learns about a machine is kept between runs: device records and evidence. */
#ifndef MET_HOST_USER_DATA_H
#define MET_HOST_USER_DATA_H

#include "met/session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The user's data directory for met: $XDG_DATA_HOME/met, else $HOME/.local/share/met; NULL if none of these
 * names one. It need not exist. */
const char *met_user_data(met_session *session);
/* The path of a name below it ("devices/mine.toml"); with `make`, the directories above it are made. NULL, with a diagnostic
 * `file` if `make`. */
const char *met_user_data_path(met_session *session, const char *name, bool make);

#ifdef __cplusplus
}
#endif
#endif
