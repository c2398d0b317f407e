/* What the readers of text files ask of bytes before anything else. */
#ifndef MET_HOST_ENCODING_H
#define MET_HOST_ENCODING_H

#include "met/session.h"

/* True if the source is UTF-8 without NUL bytes; otherwise a diagnostic `encoding` at the first byte that is not. */
bool met_encoding_check(met_session *session, uint32_t source);

#endif
