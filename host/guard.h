/* Cleaning up after foreign programs whatever becomes of us: a process that waits until we close the line to it, at the end or
 * because we were killed. Then it kills what we last said was running, and removes a directory. */
#ifndef MET_HOST_GUARD_H
#define MET_HOST_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct met_guard {
    pid_t pid;
    int line;
} met_guard;

/* Of a directory, which is removed with all that is in it; symbolic links are removed, not followed. False with errno. To be
 * called while there is one thread. */
bool met_guard_start(met_guard *guard, const char *directory);
/* A group of processes that runs; 0: none does. */
void met_guard_watch(const met_guard *guard, pid_t group);
/* Returns when everything is removed that can be. */
void met_guard_end(met_guard *guard);

#endif
