/* Adding diagnostics of one's own to a session, so that a program around the library reports as the library does. */
#ifndef MET_DIAGNOSE_H
#define MET_DIAGNOSE_H

#include "met/session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* `code` is one of docs/diagnostics.md ("usage" for a command line); `help` may be NULL. */
void met_diagnose(met_session *session, const char *code, const char *message, const char *help);
/* Adds a line of help to the diagnostic that was added last, if there is one. */
void met_diagnose_help(met_session *session, const char *help);
/* Whether there is an error with this code: those of `file`, `hardware` and `compiler`
 * are the environment's, others the input's. */
bool met_session_has_error(const met_session *session, const char *code);
/* The one of `count` names that `wanted` may be a slip for, or NULL. */
const char *met_did_you_mean(const char *wanted, const char *const *names, size_t count);

#ifdef __cplusplus
}
#endif
#endif
