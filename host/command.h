/* Programs as probes (reveal/reveal.h): a process for every call, which maps NumPy files to a NumPy file. */
#ifndef MET_HOST_COMMAND_H
#define MET_HOST_COMMAND_H

#include "base/session.h"
#include "host/foreign.h"

/* {a} or {in}: a file of the terms, or of the rows of the left operand; {b}: of the right operand; {c}: of what is added to;
 * {out}: where the result must be written. Shapes: terms, or rows × terms; terms, or terms × columns; results are a number
 * or have one for each row, or row and column. */
typedef struct met_command_request {
    const char *command; /* words separated by blanks; quotes keep them together */
    met_foreign_shape shape;
    met_dtype dtype;     /* of the operands */
    met_probe_kind kind; /* SUM or DOT: as {b} says */
    bool scaled;
    uint64_t call_limit;
    double limit_s;      /* of a call */
    bool progress;       /* counts the calls on standard error */
} met_command_request;

/* Runs it once, to see the format of its result. The request must live on. NULL with a diagnostic. */
met_foreign *met_command_open(met_session *session, const met_command_request *request);

#endif
