/* A function that is called in a process of its own: code that is not ours may crash, hang, end the process or change how
 * floating point works, and none of that may reach us. Arguments and results go through memory that both share. */
#ifndef MET_HOST_CHILD_H
#define MET_HOST_CHILD_H

#include "met/session.h"

typedef struct met_child met_child;

/* Zeroed memory that a child and we share, or NULL with a diagnostic. It is freed by met_shared_free only. */
void *met_shared_new(met_session *session, size_t bytes);
void met_shared_free(void *memory, size_t bytes);

typedef struct met_child_work {
    const char *name;  /* of the code, for diagnostics: "`cblas_sdot`" */
    uint32_t threads;  /* that OpenMP and the BLAS libraries are told to use; 0: nothing is said */
    double limit_s;    /* of the start, and of a call */
    /* In the child, once: NULL, or a text that says why it cannot be. */
    const char *(*start)(void *context);
    /* In the child. */
    void (*call)(void *context);
    void *context;
} met_child_work;

/* Forks. NULL with a diagnostic `library` if it does not start. The work must outlive the child. */
met_child *met_child_start(met_session *session, const met_child_work *work);
/* False with a diagnostic `library`: it crashed, took too long, or ended. From then on every call fails, silently. */
bool met_child_call(met_child *child);
void met_child_end(met_child *child);

/* What is wrong with floating point (met_float_fault) in the child after it started; and after the call that changed it, or
 * NULL if none did. Texts that live as long as the child. */
const char *met_child_fault_started(const met_child *child);
const char *met_child_fault_called(const met_child *child);

#endif
