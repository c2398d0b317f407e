/* What foreign code does when it should end, and what it leaves behind: routines that close the line to us, programs that are
 * killed, background processes, files and directories. That a process is gone shows in the pipe that it held open. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/session.h"
#include "host/command.h"
#include "host/library.h"
#include "support/foreign.h"

enum { PATIENCE_MS = 20000 /* after which something is taken never to happen */ };

static const char *faults;
static char directory[] = "/tmp/met-test-ends-XXXXXX";
static char held[sizeof directory + 8], temporary[sizeof directory + 8];

static int begin(void **state)
{
    if (met_test_foreign_begin(state) != 0 || !mkdtemp(directory))
        return -1;
    faults = met_test_foreign(MET_TEST_DATA_DIR, "faults", "ends.so", "-shared");
    snprintf(held, sizeof held, "%s/held", directory);
    snprintf(temporary, sizeof temporary, "%s/tmp", directory);
    bool ready = mkfifo(held, 0600) == 0 && mkdir(temporary, 0700) == 0 && setenv("TMPDIR", temporary, 1) == 0;
    return faults && ready && setenv("MET_TEST_HELD", held, 1) == 0 ? 0 : -1;
}

static int end(void **state)
{
    unlink(held);
    rmdir(temporary);
    rmdir(directory);
    return met_test_foreign_end(state);
}

/* --- Pipes --- */

static int open_held(void)
{
    int fd = open(held, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

/* Waits until nobody holds it any more. */
static bool is_let_go(int fd)
{
    struct pollfd line = { .fd = fd, .events = POLLIN };
    char bytes[64];
    while (poll(&line, 1, PATIENCE_MS) == 1)
        if (read(fd, bytes, sizeof bytes) <= 0)
            return true;
    return false;
}

/* --- Routines --- */

static bool call_routine(met_session *session, const char *symbol)
{
    const double terms[2] = { 1, 2 };
    double got;
    const met_routine_request request = { .library = faults, .symbol = symbol, .shape = { 1, 1, 0, 0, 2, false }, .limit_s = 0.3,
                                          .signature = met_call_signature_parse(session, "sum f32") };
    met_foreign *routine = met_routine_open(session, &request);
    assert_non_null(routine);
    bool good = routine->probe.run(routine->probe.context, terms, NULL, 0, &got);
    good = good && routine->probe.run(routine->probe.context, terms, NULL, 0, &got);
    const char *fault = routine->fault_called(routine);
    for (size_t i = 0; fault && fault[i]; i++)
        assert_true(fault[i] >= ' ');
    routine->close(routine);
    return good;
}

static void routines_end(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    assert_false(call_routine(session, "closes"));
    assert_non_null(strstr(met_session_diagnostics_text(session), "took more than 0.3 s"));
    met_session_free(session);
}

static void groups_of_routines_end(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    int fd = open_held();
    assert_false(call_routine(session, "leaves"));
    assert_non_null(strstr(met_session_diagnostics_text(session), "crashed"));
    assert_true(is_let_go(fd));
    close(fd);
    met_session_free(session);
}

static void nothing_raw_comes_through(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    call_routine(session, "babbles");
    met_session_free(session);
}

/* --- Programs --- */

/* As `sh` runs it; $MET_TEST_HELD is the pipe. */
static met_foreign *open_program(met_session *session, const char *script, double limit_s)
{
    met_text line = met_text_new(session->arena);
    met_text_format(&line, "sh -c '%s'", script);
    met_command_request *request = met_session_alloc(session, 1, sizeof *request);
    *request = (met_command_request){ .command = met_text_done(&line), .shape = { 1, 1, 0, 0, 3, false }, .dtype = MET_F32,
                                      .call_limit = 5, .limit_s = limit_s };
    return met_command_open(session, request);
}

static void expect_failure(const char *script, double limit_s, const char *words)
{
    met_session *session = met_session_new();
    assert_null(open_program(session, script, limit_s));
    const char *said = met_session_diagnostics_text(session);
    if (!strstr(said, words))
        fail_msg("%s: %s", script, said);
    met_session_free(session);
    assert_int_equal(rmdir(temporary), 0); /* nothing stays */
    assert_int_equal(mkdir(temporary, 0700), 0);
}

static void results_are_files(void **state)
{
    (void)state;
    expect_failure("rm -f {out}; mkfifo {out}; : {in}", 20, "is no array");
    expect_failure("mkdir -p {out}/x; : >{out}/x/y; ln -s / {out}/z; : >{out}.more; : {in}", 20, "is no array");
}

/* The pipe that its output goes to stays open as long as the one that left its group wants. */
static void programs_end(void **state)
{
    (void)state;
    int fd = open_held();
    char stay[sizeof directory + 8], script[256];
    snprintf(stay, sizeof stay, "%s/stay", directory);
    snprintf(script, sizeof script, "setsid sh -c \"exec 3>$MET_TEST_HELD; while [ -e %s ]; do sleep 0.05; done\" & sleep 1000; : {in} {out}",
             stay);
    assert_int_equal(close(open(stay, O_CREAT | O_WRONLY, 0600)), 0);
    expect_failure(script, 0.3, "did not end within");
    unlink(stay);
    is_let_go(fd);
    close(fd);
}

static void background_ends(void **state)
{
    (void)state;
    int fd = open_held();
    expect_failure("exec 3>$MET_TEST_HELD; sleep 1000 >/dev/null 2>&1 & cp {in} {out}", 20, "elements instead of");
    assert_true(is_let_go(fd));
    close(fd);
}

/* We are killed while a program runs: it ends and its files go. */
static void ends_with_us(void **state)
{
    (void)state;
    int fd = open_held();
    struct pollfd line = { .fd = fd, .events = POLLIN };
    pid_t us = fork();
    if (us == 0) {
        open_program(met_session_new(), "exec 3>$MET_TEST_HELD; echo runs >&3; sleep 1000; : {in} {out}", 1000);
        _exit(0);
    }
    assert_int_equal(poll(&line, 1, PATIENCE_MS), 1);
    kill(us, SIGTERM);
    assert_int_equal(waitpid(us, NULL, 0), us);
    assert_true(is_let_go(fd));
    close(fd);
    int left = PATIENCE_MS;
    while (rmdir(temporary) != 0 && left-- > 0)
        poll(NULL, 0, 1);
    assert_true(left > 0);
    assert_int_equal(mkdir(temporary, 0700), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(routines_end),      cmocka_unit_test(groups_of_routines_end), cmocka_unit_test(nothing_raw_comes_through),
        cmocka_unit_test(results_are_files), cmocka_unit_test(programs_end),           cmocka_unit_test(background_ends),
        cmocka_unit_test(ends_with_us),
    };
    return cmocka_run_group_tests_name("foreign_ends", tests, begin, end);
}
