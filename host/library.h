/* Routines of shared libraries as probes (reveal/reveal.h): loaded and called in a process of their own (host/child.h), through
 * a signature (host/call_signature.h). Owns the memory of a call: where operands stand, which of their elements the probe
 * fills, and what stands in all others. */
#ifndef MET_HOST_LIBRARY_H
#define MET_HOST_LIBRARY_H

#include "base/session.h"
#include "host/call_signature.h"
#include "host/foreign.h"

typedef struct met_routine_request {
    const char *library; /* what dlopen takes */
    const char *symbol;
    const met_call_signature *signature;
    met_foreign_shape shape;
    bool transpose_a, transpose_b; /* as they are stored */
    uint64_t offset;  /* elements by which operands are off the start of a page */
    uint32_t threads; /* that the library is told to use; 0: what it likes */
    double limit_s;   /* of loading, and of a call */
} met_routine_request;

/* Loads it. The request and its texts must live on. NULL with a diagnostic. */
met_foreign *met_routine_open(met_session *session, const met_routine_request *request);

#endif
