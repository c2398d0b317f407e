/* Reading TOML 1.0 into a value tree. */
#ifndef MET_HOST_TOML_H
#define MET_HOST_TOML_H

#include "met/value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Longer texts, and dotted keys of more parts, are refused. Values nest at most 256 deep. */
#define MET_TOML_LIMIT ((size_t)4 << 20)
#define MET_TOML_KEY_PARTS 64

/* The table that the source says, or NULL with diagnostics. Keys stand in source order (by where each first appears).
 * Every value and key has its span; that of a table or list of tables is its header. `content` of a string is set where
 * the string stands in the source as it is: no escapes. Dates and times are refused: met has no use for them. */
met_value *met_toml_read(met_session *session, uint32_t source);

#ifdef __cplusplus
}
#endif
#endif
