#include "host/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { RUNNING = 64 /* at most, at a time */, NOT_STARTED = 127, BY_SIGNAL = 128 };

typedef struct child {
    met_process *process;
    pid_t pid;
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
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    error = error ? error : posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    error = error ? error : posix_spawn_file_actions_adddup2(&actions, out, STDERR_FILENO);
    error = error ? error : posix_spawnp(ret_pid, process->argv[0], &actions, NULL, process->argv, environ);
    posix_spawn_file_actions_destroy(&actions);
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
    if (error == 0)
        return true;
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

static void finish(met_process *process, pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) { /* somebody else has waited for it, or SIGCHLD is ignored: we cannot know */
            process->status = NOT_STARTED;
            return;
        }
    }
    process->status = WIFEXITED(status) ? WEXITSTATUS(status) : BY_SIGNAL + WTERMSIG(status);
}

void met_processes_run(size_t count, met_process *processes, size_t limit)
{
    child children[RUNNING];
    struct pollfd fds[RUNNING];
    size_t next = 0, running = 0;
    limit = limit < 1 ? 1 : limit > RUNNING ? RUNNING : limit;
    while (next < count || running > 0) {
        while (next < count && running < limit) {
            children[running].process = &processes[next];
            if (start(&processes[next++], &children[running].pid, &fds[running].fd))
                fds[running++].events = POLLIN;
        }
        if (running == 0 || poll(fds, (nfds_t)running, -1) < 0)
            continue;
        for (size_t i = running; i-- > 0;) {
            if (!fds[i].revents || take_output(children[i].process, fds[i].fd))
                continue;
            close(fds[i].fd);
            finish(children[i].process, children[i].pid);
            running--;
            children[i] = children[running];
            fds[i] = fds[running];
        }
    }
}
