#define _XOPEN_SOURCE 700 /* nftw */
#include "host/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OPEN_DIRECTORIES = 16 };

/* --- In the guard --- */

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info, (void)kind, (void)place;
    remove(path);
    return 0; /* the others all the same */
}

/* Nothing that ends us ends it, and nobody waits for it to close what we had open. */
static void settle_down(int line)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };
    int null = open("/dev/null", O_RDWR);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_IGN);
    setpgid(0, 0);
    for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
        if (fd != line)
            dup2(null, fd);
}

_Noreturn static void keep_watch(int line, const char *directory)
{
    pid_t group = 0, next;
    ssize_t got;
    settle_down(line);
    while ((got = read(line, &next, sizeof next)) > 0 || (got < 0 && errno == EINTR))
        group = got == sizeof next ? next : group;
    if (group > 0)
        kill(-group, SIGKILL);
    nftw(directory, remove_one, OPEN_DIRECTORIES, FTW_DEPTH | FTW_PHYS);
    _exit(0);
}

/* --- From outside --- */

bool met_guard_start(met_guard *guard, const char *directory)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return false;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC); /* a program that had it would keep the guard waiting */
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[1]);
        keep_watch(ends[0], directory);
    }
    int error = errno;
    close(ends[0]);
    if (pid < 0)
        close(ends[1]);
    errno = error;
    *guard = (met_guard){ pid, ends[1] };
    return pid > 0;
}

void met_guard_watch(const met_guard *guard, pid_t group)
{
    while (send(guard->line, &group, sizeof group, MSG_NOSIGNAL) < 0 && errno == EINTR)
        ;
}

void met_guard_end(met_guard *guard)
{
    if (guard->pid <= 0)
        return;
    close(guard->line);
    while (waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    guard->pid = 0;
}
