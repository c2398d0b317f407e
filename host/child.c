#define _GNU_SOURCE /* MAP_ANONYMOUS, SOCK_CLOEXEC */
#include "host/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diag.h"
#include "host/machine.h"

enum { WORDS = 200, OUTPUT_LIMIT = 1 << 20 /* bytes that it may write to a file */,
       LOOK_MS = 20 /* between looks whether it has ended */ };

/* What the child says after it started, and after every call. */
typedef struct answer {
    uint8_t started; /* 1: it did; else `why` says why not. No bool: whatever the code has written may stand here */
    char fault[WORDS];
    char why[WORDS];
} answer;

struct met_child {
    met_session *session;
    const met_child_work *work;
    pid_t pid; /* 0: it has ended */
    int line;  /* a socket: a byte is a request, the child answers with `answer` */
    FILE *said; /* what it printed */
    char fault_started[WORDS], fault_called[WORDS];
};

static const met_span nowhere;

void *met_shared_new(met_session *session, size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED)
        return memory;
    met_diag_add(session, MET_DIAG_library, nowhere, "there is no memory for the operands: %zu bytes", bytes);
    return NULL;
}

void met_shared_free(void *memory, size_t bytes)
{
    if (memory)
        munmap(memory, bytes);
}

/* --- In the child --- */

static void write_answer(int fd, const char *why)
{
    answer a = { .started = why == NULL };
    const char *fault = met_float_fault();
    snprintf(a.fault, sizeof a.fault, "%s", fault ? fault : "");
    snprintf(a.why, sizeof a.why, "%s", why ? why : "");
    if (write(fd, &a, sizeof a) != sizeof a)
        _exit(0); /* nobody listens any more */
}

static void say_threads(uint32_t threads)
{
    static const char *const names[] = { "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS", "MKL_NUM_THREADS" };
    char count[16];
    snprintf(count, sizeof count, "%u", (unsigned)threads);
    setenv("OMP_WAIT_POLICY", "passive", 0); /* threads that wait busily are in our way */
    for (size_t i = 0; threads > 0 && i < sizeof names / sizeof *names; i++)
        setenv(names[i], count, 1);
}

/* Nothing of ours is inherited that could be broken or waited for: no terminal, no handlers, nothing to write without end. */
static void settle_down(int said)
{
    static const int signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTERM, SIGINT };
    struct rlimit none = { 0, 0 }, some = { OUTPUT_LIMIT, OUTPUT_LIMIT };
    int null = open("/dev/null", O_RDONLY);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    dup2(null, STDIN_FILENO);
    dup2(said, STDOUT_FILENO);
    dup2(said, STDERR_FILENO);
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_FSIZE, &some);
}

_Noreturn static void serve(const met_child_work *work, int line)
{
    char request;
    say_threads(work->threads);
    const char *why = work->start(work->context);
    write_answer(line, why);
    while (!why && read(line, &request, 1) == 1) {
        work->call(work->context);
        write_answer(line, NULL);
    }
    _exit(0);
}

/* --- From outside --- */

/* Its first line, if it printed any. */
static void add_output(met_child *child, met_diag *diag)
{
    char line[WORDS];
    rewind(child->said);
    if (!fgets(line, sizeof line, child->said))
        return;
    line[strcspn(line, "\n")] = 0;
    met_text clean = met_text_new(child->session->arena);
    met_text_clean(&clean, met_str_of(line));
    met_diag_help(diag, "it said: %s", met_text_done(&clean));
}

static int reap(met_child *child)
{
    int status = 0;
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
        ;
    child->pid = 0;
    return status;
}

static void kill_all(const met_child *child)
{
    kill(-child->pid, SIGKILL);
    kill(child->pid, SIGKILL); /* it may not yet be a group */
}

/* Whether it has ended. It is not waited for yet, so that its number still names its group. */
static bool has_ended(const met_child *child)
{
    siginfo_t info = { .si_pid = 0 };
    return waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
}

static bool too_slow(met_child *child, const char *when)
{
    kill_all(child);
    reap(child);
    met_diag *diag = met_diag_add(child->session, MET_DIAG_library, nowhere, "%s took more than %g s %s", child->work->name,
                                  child->work->limit_s, when);
    met_diag_help(diag, "--limit SECONDS gives it more time");
    add_output(child, diag);
    return false;
}

/* It answers no more: why, as a diagnostic. `when` is "while it was loaded". */
static bool lost(met_child *child, const char *when, double end)
{
    const char *name = child->work->name;
    while (!has_ended(child)) {
        if (met_seconds() >= end) /* it has only closed its end of the line */
            return too_slow(child, when);
        poll(NULL, 0, 1);
    }
    kill_all(child); /* what it started */
    int status = reap(child);
    met_diag *diag;
    if (WIFSIGNALED(status))
        diag = met_diag_add(child->session, MET_DIAG_library, nowhere, "%s crashed %s: %s", name, when,
                            strsignal(WTERMSIG(status)));
    else
        diag = met_diag_add(child->session, MET_DIAG_library, nowhere, "%s ended the process %s, with status %d", name, when,
                            WEXITSTATUS(status));
    add_output(child, diag);
    return false;
}

/* A text that the code may have written to our line itself: made printable. */
static const char *cleaned(const met_child *child, const char *text)
{
    met_text clean = met_text_new(child->session->arena);
    met_text_clean(&clean, met_str_of(text));
    return met_text_done(&clean);
}

/* The next answer, within the limit. */
static bool hear(met_child *child, const char *when, answer *ret_answer)
{
    double end = met_seconds() + child->work->limit_s;
    size_t got = 0;
    while (got < sizeof *ret_answer) {
        double left = end - met_seconds();
        struct pollfd fd = { .fd = child->line, .events = POLLIN };
        int ready = left > 0 ? poll(&fd, 1, LOOK_MS) : 0;
        if (left <= 0)
            return too_slow(child, when);
        if (ready == 0 && has_ended(child)) /* what it has started keeps the line open */
            return lost(child, when, end);
        if (ready == 0 || (ready < 0 && errno == EINTR))
            continue;
        ssize_t more = read(child->line, (char *)ret_answer + got, sizeof *ret_answer - got);
        if (more <= 0)
            return lost(child, when, end);
        got += (size_t)more;
    }
    ret_answer->fault[WORDS - 1] = 0;
    ret_answer->why[WORDS - 1] = 0;
    return true;
}

/* Forks; false if there are no sockets, files or processes left. */
static bool begin(met_child *child)
{
    int ends[2] = { -1, -1 };
    child->said = tmpfile();
    bool ready = child->said && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0;
    fflush(NULL); /* what is still to be written is ours to write */
    child->pid = ready ? fork() : -1;
    if (child->pid == 0) {
        close(ends[0]);
        settle_down(fileno(child->said));
        serve(child->work, ends[1]);
    }
    int error = errno;
    if (ends[1] >= 0)
        close(ends[1]);
    child->line = ends[0];
    if (child->pid > 0)
        return true;
    child->pid = 0;
    met_diag_add(child->session, MET_DIAG_library, nowhere, "cannot start a process for %s: %s", child->work->name,
                 strerror(error));
    return false;
}

met_child *met_child_start(met_session *session, const met_child_work *work)
{
    met_child *child = MET_NEW(session->arena, met_child);
    child->session = session;
    child->work = work;
    answer a;
    bool good = begin(child) && hear(child, "while it was loaded", &a);
    if (good && !a.started)
        met_diag_add(session, MET_DIAG_library, nowhere, "%s", cleaned(child, a.why));
    if (!good || !a.started) {
        met_child_end(child);
        return NULL;
    }
    snprintf(child->fault_started, sizeof child->fault_started, "%s", cleaned(child, a.fault));
    return child;
}

bool met_child_call(met_child *child)
{
    answer a;
    if (child->pid == 0)
        return false;
    ssize_t sent;
    do
        sent = send(child->line, "c", 1, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    if (sent != 1)
        return lost(child, "between calls", met_seconds() + child->work->limit_s);
    if (!hear(child, "in a call", &a))
        return false;
    if (!child->fault_called[0] && strcmp(a.fault, child->fault_started) != 0)
        snprintf(child->fault_called, sizeof child->fault_called, "%s",
                 a.fault[0] ? cleaned(child, a.fault) : "as IEEE 754 has it");
    return true;
}

void met_child_end(met_child *child)
{
    if (!child)
        return;
    if (child->pid > 0) {
        kill_all(child);
        reap(child);
    }
    if (child->said)
        fclose(child->said);
    if (child->line >= 0)
        close(child->line);
    child->line = -1;
    child->said = NULL;
}

const char *met_child_fault_started(const met_child *child)
{
    return child->fault_started[0] ? child->fault_started : NULL;
}

const char *met_child_fault_called(const met_child *child)
{
    return child->fault_called[0] ? child->fault_called : NULL;
}
