#include "host/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/guard.h"
#include "host/machine.h"

extern char **environ;

enum { RUNNING = 64 /* at most, at a time */, NOT_STARTED = 127, BY_SIGNAL = 128 };
enum { LOOK_MS = 10 /* between looks whether one has ended */, LAST_LOOKS = 4 };

typedef struct child {
    met_process *process;
    pid_t pid;
    double end; /* on met_seconds, where there is a limit */
} child;

/* Puts a few words in the place of output. */
static void say(met_process *process, const char *words, int error)
{
    int length = snprintf(process->output, sizeof process->output, "%s: %s", words, strerror(error));
    process->length = length > 0 ? (size_t)length : 0;
    process->status = NOT_STARTED;
}

static int spawn(met_process *process, int out, pid_t *ret_pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawnattr_init(&attributes);
    if (error)
        return error;
    error = posix_spawn_file_actions_init(&actions);
    if (error) {
        posix_spawnattr_destroy(&attributes);
        return error;
    }
    if (process->limit_s > 0) /* a group of its own, so that what it starts can be ended with it */
        error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    error = error ? error : posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    error = error ? error : posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    error = error ? error : posix_spawn_file_actions_adddup2(&actions, out, STDERR_FILENO);
    error = error ? error : posix_spawnp(ret_pid, process->argv[0], &actions, &attributes, process->argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
}

/* Starts one; *ret_fd is where its output comes from. */
static bool start(met_process *process, pid_t *ret_pid, int *ret_fd)
{
    int ends[2];
    process->length = 0;
    process->output[0] = 0;
    if (pipe(ends) != 0) {
        say(process, "pipe", errno);
        return false;
    }
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    int error = spawn(process, ends[1], ret_pid);
    close(ends[1]);
    *ret_fd = ends[0];
    if (error == 0) {
        if (process->guard)
            met_guard_watch(process->guard, *ret_pid);
        return true;
    }
    close(ends[0]);
    say(process, process->argv[0], error);
    return false;
}

/* False at the end of the output. */
static bool take_output(met_process *process, int fd)
{
    char bytes[4096];
    ssize_t got = read(fd, bytes, sizeof bytes);
    if (got < 0)
        return errno == EINTR || errno == EAGAIN;
    size_t room = sizeof process->output - 1 - process->length;
    size_t kept = (size_t)got < room ? (size_t)got : room;
    memcpy(process->output + process->length, bytes, kept);
    process->length += kept;
    process->output[process->length] = 0;
    return got > 0;
}

/* Whether it has ended. It is not waited for yet, so that its number still names its group. */
static bool has_ended(const child *c)
{
    siginfo_t info = { .si_pid = 0 };
    return waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

/* Kills the group of one that has ended, or whose time is over; false if neither is so. */
static bool end_group(const child *c)
{
    bool ended = has_ended(c);
    if (!ended && met_seconds() < c->end)
        return false;
    c->process->too_slow = c->process->too_slow || !ended;
    kill(-c->pid, SIGKILL);
    return true;
}

static void finish(const child *c)
{
    met_process *process = c->process;
    int status;
    pid_t ended;
    while (process->limit_s > 0 && !end_group(c)) /* one that has closed its output may still run */
        poll(NULL, 0, 1);
    while ((ended = waitpid(c->pid, &status, 0)) < 0 && errno == EINTR)
        ;
    if (process->guard)
        met_guard_watch(process->guard, 0);
    if (ended < 0) /* somebody else has waited for it, or SIGCHLD is ignored: we cannot know */
        process->status = NOT_STARTED;
    else
        process->status = WIFEXITED(status) ? WEXITSTATUS(status) : BY_SIGNAL + WTERMSIG(status);
}

/* Milliseconds until somebody should look again: what has a limit may end without closing its output. */
static int wait_for(size_t running, const child *children)
{
    bool limited = false;
    for (size_t i = 0; i < running; i++)
        limited = limited || children[i].process->limit_s > 0;
    return limited ? LOOK_MS : -1;
}

/* Takes the output there is; true if no more is waited for. */
static bool is_over(const child *c, const struct pollfd *fd)
{
    bool silent = fd->revents && !take_output(c->process, fd->fd);
    if (silent || c->process->limit_s <= 0 || !end_group(c))
        return silent;
    struct pollfd rest = { .fd = fd->fd, .events = POLLIN };
    for (int i = 0; i < LAST_LOOKS && poll(&rest, 1, 0) > 0 && take_output(c->process, fd->fd); i++)
        ;
    return true;
}

void met_processes_run(size_t count, met_process *processes, size_t limit)
{
    child children[RUNNING];
    struct pollfd fds[RUNNING];
    size_t next = 0, running = 0;
    limit = limit < 1 ? 1 : limit > RUNNING ? RUNNING : limit;
    while (next < count || running > 0) {
        while (next < count && running < limit) {
            children[running] = (child){ &processes[next], 0, met_seconds() + processes[next].limit_s };
            processes[next].too_slow = false;
            if (start(&processes[next++], &children[running].pid, &fds[running].fd))
                fds[running++].events = POLLIN;
        }
        if (running == 0 || poll(fds, (nfds_t)running, wait_for(running, children)) < 0)
            continue;
        for (size_t i = running; i-- > 0;) {
            if (!is_over(&children[i], &fds[i]))
                continue;
            close(fds[i].fd);
            finish(&children[i]);
            running--;
            children[i] = children[running];
            fds[i] = fds[running];
        }
    }
}
