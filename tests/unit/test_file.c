/* Reading and writing whole files: what works, and what is refused with which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/file.h"
#include "host/tensor_file.h"

static char directory[64];

static int make_directory(void **state)
{
    (void)state;
    strcpy(directory, "/tmp/met-test-file-XXXXXX");
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    return system(command);
}

static const char *path_of(const char *name)
{
    static char path[2][160];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", directory, name);
    return path[turn];
}

static void expect_error(met_session *session, const char *words)
{
    assert_int_equal(met_session_error_count(session), 1);
    assert_non_null(strstr(met_session_diagnostics_text(session), words));
    met_session_clear_diagnostics(session);
}

static void round_trip(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    static char bytes[100000];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * 31);
    const char *got;
    size_t length;
    size_t sizes[] = { 0, 1, 4094, 4095, 4096, sizeof bytes };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        assert_true(met_file_write(session, path_of("a"), bytes, sizes[i]));
        assert_true(met_file_read(session, path_of("a"), sizes[i], &got, &length));
        assert_int_equal(length, sizes[i]);
        assert_memory_equal(got, bytes, length);
        assert_int_equal(got[length], 0);
    }
    assert_int_equal(met_session_error_count(session), 0);
    assert_int_equal(met_file_source(session, path_of("a")), 1);
    met_session_free(session);
}

static void read_refusals(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    const char *got;
    size_t length;
    assert_false(met_file_read(session, path_of("missing"), 10, &got, &length));
    expect_error(session, "No such file");
    assert_false(met_file_read(session, directory, 10, &got, &length));
    expect_error(session, "it is a directory");
    assert_true(met_file_write(session, path_of("big"), "0123456789a", 11));
    assert_false(met_file_read(session, path_of("big"), 10, &got, &length));
    expect_error(session, "input-too-large");
    assert_false(met_file_read(session, "/dev/zero", 100000, &got, &length)); /* has no size of its own */
    expect_error(session, "input-too-large");
    assert_true(met_file_read_kind(session, "/dev/zero", "magic", 100000, &got, &length));
    assert_true(length < 100000); /* no more than it takes to see that it is something else */
    assert_true(met_file_read_kind(session, path_of("big"), "0123", 11, &got, &length));
    assert_int_equal(length, 11);
    assert_int_equal(met_file_source(session, path_of("missing")), 0);
    expect_error(session, "No such file");
    if (geteuid() != 0) {
        assert_true(met_file_write(session, path_of("secret"), "x", 1));
        assert_int_equal(chmod(path_of("secret"), 0), 0);
        assert_false(met_file_read(session, path_of("secret"), 10, &got, &length));
        expect_error(session, "Permission denied");
    }
    met_session_free(session);
}

static void write_refusals(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    assert_int_equal(mkdir(path_of("d"), 0700), 0);
    assert_false(met_file_write(session, path_of("d"), "x", 1));
    expect_error(session, "it is a directory");
    assert_false(met_file_write(session, path_of("none/x"), "x", 1));
    expect_error(session, "the directory must exist");
    assert_false(met_file_write(session, "", "x", 1));
    expect_error(session, "cannot write");
    assert_int_equal(symlink("loop", path_of("loop")), 0);
    assert_false(met_file_write(session, path_of("loop"), "x", 1));
    expect_error(session, "cannot write");
    if (access("/dev/full", W_OK) == 0) {
        assert_false(met_file_write(session, "/dev/full", "x", 1));
        expect_error(session, "No space left");
    }
    assert_true(met_file_write(session, "/dev/null", "x", 1));
    struct stat info;
    assert_int_equal(stat("/dev/null", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
    met_session_free(session);
}

static void permissions_and_links(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    mode_t old = umask(027);
    struct stat info;
    assert_true(met_file_write(session, path_of("new"), "x", 1));
    assert_int_equal(stat(path_of("new"), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    assert_int_equal(chmod(path_of("new"), 0751), 0);
    assert_true(met_file_write(session, path_of("new"), "yz", 2));
    assert_int_equal(stat(path_of("new"), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0751);
    umask(old);
    assert_int_equal(symlink("target", path_of("link")), 0); /* dangling at first */
    assert_true(met_file_write(session, path_of("link"), "1", 1));
    assert_true(met_file_write(session, path_of("link"), "22", 2));
    assert_int_equal(lstat(path_of("link"), &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(stat(path_of("target"), &info), 0);
    assert_int_equal(info.st_size, 2);
    char command[128];
    snprintf(command, sizeof command, "! ls -A '%s' | grep -q tmp", directory);
    assert_int_equal(system(command), 0); /* no temporary stays */
    met_session_free(session);
}

static void tensors(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    uint64_t shape[] = { 2, 3 };
    met_tensor *tensor = met_tensor_new(session, "f32", 2, shape);
    tensor->values[5] = -1.5;
    assert_true(met_tensor_save(session, path_of("t.npy"), tensor));
    met_tensor *again = met_tensor_load(session, path_of("t.npy"));
    assert_non_null(again);
    assert_true(again->values[5] == -1.5);
    assert_null(met_tensor_load(session, path_of("no.npy")));
    expect_error(session, "No such file");
    assert_true(met_file_write(session, path_of("t.npy"), "text", 4));
    assert_null(met_tensor_load(session, path_of("t.npy")));
    expect_error(session, "t.npy`, byte 0: this is not a .npy file");
    met_session_free(session);
}

static void expect_content(met_session *session, const char *name, const char *content)
{
    const char *got;
    size_t length;
    assert_true(met_file_read(session, path_of(name), 100, &got, &length));
    assert_string_equal(got, content);
}

static int files_in(const char *path)
{
    char command[200];
    snprintf(command, sizeof command, "exit $(ls -A '%s' | wc -l)", path);
    int status = system(command);
    return status / 256;
}

/* Several files: all of them, or none, and then the old ones are as they were. */
static void several_at_once(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    char first[160], second[160], inner[170];
    assert_int_equal(mkdir(path_of("several"), 0755), 0);
    snprintf(first, sizeof first, "%s", path_of("several/a"));
    snprintf(second, sizeof second, "%s", path_of("several/b"));
    snprintf(inner, sizeof inner, "%s/in", second);
    met_file_text files[] = { { first, "one", 3 }, { second, "two", 3 } };
    assert_true(met_file_write_all(session, 2, files));
    files[0].bytes = "ONE";
    assert_true(met_file_write_all(session, 2, files));
    expect_content(session, "several/a", "ONE");
    expect_content(session, "several/b", "two");
    assert_int_equal(files_in(path_of("several")), 2);
    files[0].bytes = "uno";
    files[1].path = inner; /* below a file */
    assert_false(met_file_write_all(session, 2, files));
    expect_error(session, "cannot write");
    expect_content(session, "several/a", "ONE");
    assert_int_equal(files_in(path_of("several")), 2);
    files[1].path = directory;
    assert_false(met_file_write_all(session, 2, files));
    expect_error(session, "it is a directory");
    expect_content(session, "several/a", "ONE");
    assert_int_equal(files_in(path_of("several")), 2);
    met_session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(read_refusals),
        cmocka_unit_test(write_refusals),
        cmocka_unit_test(permissions_and_links),
        cmocka_unit_test(tensors),
        cmocka_unit_test(several_at_once),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
