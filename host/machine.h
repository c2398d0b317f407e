/* The machine under a run: threads that share out work, memory for large arrays, and the state of floating point that
 * decides whether results mean what they should. */
#ifndef MET_HOST_MACHINE_H
#define MET_HOST_MACHINE_H

#include "met/session.h"

/* --- Threads --- */

/* CPUs that this process may use, at least 1. */
uint32_t met_cpu_count(void);

/* A team: the calling thread is member 0, the others wait for work, at first busily. Pinned, member t runs on the t-th CPU
 * that the process may use, the caller included until the team is freed; there must be as many CPUs as members. */
typedef struct met_team met_team;

#define MET_TEAM_LIMIT 1024

/* NULL with a diagnostic: `run` for a count that cannot be had. `count` is at least 1. */
met_team *met_team_new(met_session *session, uint32_t count, bool pinned);
void met_team_free(met_team *team);
uint32_t met_team_count(const met_team *team);

/* Calls work(context, t) on every member t, and returns when all have returned. */
typedef void (*met_work_fn)(void *context, uint32_t member);
void met_team_run(met_team *team, met_work_fn work, void *context);

/* --- Memory --- */

/* Zeroed memory on huge pages where there are some, aligned to 64 bytes. NULL if there is not so much. */
void *met_pages_new(size_t bytes);
void met_pages_free(void *pages, size_t bytes);

/* Puts what stands at `at` out of all caches, for measuring what begins without them. False where the processor has no
 * instruction for that. */
bool met_cache_flush(const void *at, size_t bytes);

/* --- Floating point, of the calling thread --- */

/* NULL if arithmetic is that of IEEE 754, rounding to nearest even and keeping subnormals; otherwise what it does instead,
 * for people. Libraries linked with -ffast-math make a thread flush subnormals to zero. */
const char *met_float_fault(void);
/* The flag that says that a result was tiny and inexact. */
void met_underflow_clear(void);
bool met_underflow_raised(void);

/* --- Time --- */

/* Seconds on a clock that only goes forward. */
double met_seconds(void);

/* A clock that measurements read; tests have their own. */
typedef struct met_clock {
    double (*seconds)(void *context);
    void *context;
} met_clock;
/* met_seconds as one. */
met_clock met_clock_real(void);

#endif
