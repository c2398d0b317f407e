/* Finding and reading themes of drawings. */
#ifndef MET_HOST_THEME_H
#define MET_HOST_THEME_H

#include "met/value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The theme that `name` says: a file if it has a slash or ends in .toml, else NAME.toml in $MET_THEMES, the source tree or
 * the installed data, whichever has it first. NULL with diagnostics. */
met_value *met_theme_load(met_session *session, const char *name);

#ifdef __cplusplus
}
#endif
#endif
