/* Running programs: what src/realize wrote, compiled, and called over a team of threads. An execution owns the arrays of
 * one program; it can run any number of times.
 *
 * A launch's units are shared out in pieces that get smaller, to whichever thread is free: units do not depend on each
 * other, so who runs which cannot be seen in the bytes. Before every launch each thread clears its underflow flag, and
 * after it the flag is collected: powers of two rescale exactly unless something underflows. */
#ifndef MET_HOST_EXECUTE_H
#define MET_HOST_EXECUTE_H

#include "host/compiler.h"
#include "met/tensor.h"
#include "realize/program.h"

typedef struct met_execution met_execution;

/* All zero is the default. */
typedef struct met_execute_options {
    uint32_t threads;    /* 0: 1 */
    bool pinned;         /* each thread on a CPU of its own */
    bool poison;         /* what a run must write is NaN before it, scratch memory too: for tests */
    uint64_t byte_limit; /* of all arrays and scratch together; 0: MET_EXECUTE_BYTES */
} met_execute_options;

/* As much as the numbers of the interpreter's largest run take. */
#define MET_EXECUTE_BYTES ((uint64_t)1 << 31)

/* How a launch went the last time. */
typedef struct met_launch_report {
    double seconds;
    bool underflow; /* a thread met a result that is tiny and inexact */
} met_launch_report;

/* Compiles the program's sources and makes its arrays, all zero. Lives until it is freed; the compiler must outlive it.
 * NULL with diagnostics: the compiler's, or `run` for more memory or threads than can be had. */
met_execution *met_execution_new(met_session *session, const met_program *program, met_compiler *compiler,
                                 const met_execute_options *options);
void met_execution_free(met_execution *execution);

/* The array of an edge as bytes in its format, row-major, to read or to write; NULL for an edge that is not stored. After a
 * run only what comes from outside and the results hold what they should: other arrays share memory (realize/arena.h). What
 * is made from parameters is made again in the next run after the array of one was asked for. */
void *met_execution_array(met_execution *execution, met_edge_id edge, size_t *ret_bytes);
/* Sets the array of an edge from numbers of its format; does nothing for an edge that is not stored. */
void met_execution_set(met_execution *execution, met_edge_id edge, size_t count, const double *values);
/* An edge's array as numbers. NULL with a diagnostic if there are too many; the edge must be stored. */
met_tensor *met_execution_tensor(met_execution *execution, met_edge_id edge);

/* Runs all launches in order. False with a diagnostic `run` if a thread's floating point is not that of IEEE 754. */
bool met_execution_run(met_execution *execution);
/* Runs one launch by itself; those before it must have run. Fails as a run does. */
bool met_execution_launch(met_execution *execution, uint32_t launch);
/* Puts the arrays of a launch and all scratch memory out of the caches, and wakes the team, which may have fallen asleep over
 * it; false if the processor cannot. */
bool met_execution_flush(met_execution *execution, uint32_t launch);
/* The digest of the text, flags and compiler of a source of the program. */
const char *met_execution_kernel_key(const met_execution *execution, uint32_t source);
/* By launch; of those that ran once, as it was then. */
const met_launch_report *met_execution_reports(const met_execution *execution);
/* Whether any launch reports an underflow. */
bool met_execution_underflow(const met_execution *execution);

/* Bytes of all arrays, of which some stand where others are no longer needed; and if each had its own. */
uint64_t met_execution_bytes(const met_execution *execution, uint64_t *ret_apart);

/* Seconds that compiling and loading took. */
double met_execution_build_seconds(const met_execution *execution);

#endif
