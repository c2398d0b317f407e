/* Child processes, without a shell. What they print is kept up to a limit, and read beyond it so that they never wait. */
#ifndef MET_HOST_PROCESS_H
#define MET_HOST_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#define MET_PROCESS_OUTPUT 4096

typedef struct met_process {
    char *const *argv; /* NULL-terminated; argv[0] is looked for in $PATH */
    double limit_s;    /* after which it is killed; 0: none. With a limit it has a group of processes of its own, which is killed when
                        * it ends, and nothing is waited for that it leaves behind. */
    const struct met_guard *guard; /* is told which group runs; NULL, or with a limit and nothing else at a time */
    bool too_slow;     /* out: it was */
    int status;        /* out: the exit status; 127: it could not be started; 128 + n: signal n ended it */
    size_t length;     /* out: of what is kept of its standard output and error together */
    char output[MET_PROCESS_OUTPUT]; /* out: NUL-terminated */
} met_process;

/* Runs all of them to their end, at most `limit` at a time. Standard input is empty. */
void met_processes_run(size_t count, met_process *processes, size_t limit);

#endif
