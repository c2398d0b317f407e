/* The compiler driver: what is compiled runs, is found again, is made anew when it is not whole, by several processes at
 * once, and wherever the cache stands; what fails is explained. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/compiler.h"
#include "host/file.h"

static char directory[64];

static int make_directory(void **state)
{
    (void)state;
    strcpy(directory, "/tmp/met-test-compiler-XXXXXX");
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
    static char path[4][200];
    static unsigned turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", directory, name);
    return path[turn];
}

typedef int (*answer_fn)(int);

static int call(const met_unit *unit, int x)
{
    answer_fn answer;
    memcpy(&answer, &unit->function, sizeof answer);
    return answer(x);
}

static met_compiler *compiler_at(met_session *session, const char *cache)
{
    met_compiler *compiler = met_compiler_new(session, &(met_compiler_options){ .cache = cache });
    assert_non_null(compiler);
    return compiler;
}

/* Entries with an ending in a directory; *ret_path is the last of them. */
static int count_files(const char *path, const char *ending, char *ret_path, size_t room)
{
    int count = 0;
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        size_t length = strlen(entry->d_name), tail = strlen(ending);
        if (entry->d_name[0] == '.' || length < tail || strcmp(entry->d_name + length - tail, ending) != 0)
            continue;
        if (ret_path)
            snprintf(ret_path, room, "%s/%s", path, entry->d_name);
        count++;
    }
    if (dir)
        closedir(dir);
    return count;
}

static const char twice_text[] = "int twice(int x); int twice(int x) { return 2 * x; }\n";

/* Compiles `twice` with a compiler of its own; whether it was found. */
static bool build_twice(const char *cache)
{
    met_session *session = met_session_new();
    met_compiler *compiler = compiler_at(session, cache);
    met_unit unit = { .symbol = "twice", .text = twice_text };
    assert_true(met_compiler_build(compiler, 1, &unit));
    assert_int_equal(call(&unit, 21), 42);
    assert_int_equal(met_session_error_count(session), 0);
    met_compiler_free(compiler);
    met_session_free(session);
    return unit.found;
}

static void compiled_once(void **state)
{
    (void)state;
    const char *cache = path_of("one/more 'quoted' level");
    assert_false(build_twice(cache));
    assert_true(build_twice(cache));
    assert_int_equal(count_files(cache, "", NULL, 0), 1); /* the entry, and nothing that was needed to make it */
}

static void everything_that_matters_is_in_the_key(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    met_compiler *compiler = compiler_at(session, path_of("key"));
    met_unit units[] = {
        { .symbol = "f", .text = "int f(int x); int f(int x) { return x + 1; }\n" },
        { .symbol = "f", .text = "int f(int x); int f(int x) { return x + N; }\n", .flags = "-DN=5" },
        { .symbol = "f", .text = "int f(int x); int f(int x) { return x + N; }\n", .flags = "-DN=6" },
        { .symbol = "f", .text = "int f(int x); int f(int x) { return x + N; }\n", .flags = "-DN=5" },
    };
    assert_true(met_compiler_build(compiler, 4, units));
    assert_int_equal(call(&units[0], 10), 11);
    assert_int_equal(call(&units[1], 10), 15);
    assert_int_equal(call(&units[2], 10), 16);
    assert_int_equal(call(&units[3], 10), 15);
    assert_int_equal(count_files(path_of("key"), ".so", NULL, 0), 3);
    met_compiler *other = met_compiler_new(session, &(met_compiler_options){ .cache = path_of("key"), .flags = "-DOTHER" });
    assert_true(met_compiler_build(other, 1, units));
    assert_false(units[0].found);
    met_compiler_free(other);
    met_compiler_free(compiler);
    met_session_free(session);
}

static void damaged_entries_are_made_anew(void **state)
{
    (void)state;
    char path[512];
    const char *cache = path_of("damaged");
    build_twice(cache);
    assert_int_equal(count_files(cache, ".so", path, sizeof path), 1);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    for (int damage = 0; damage < 4; damage++) {
        long place = damage == 1 ? (long)info.st_size / 3 : (long)info.st_size - 1; /* of a byte that changes */
        if (damage == 0)
            assert_int_equal(truncate(path, info.st_size / 2), 0);
        FILE *file = fopen(path, damage == 3 ? "wb" : "rb+");
        assert_non_null(file);
        if (damage == 1 || damage == 2) {
            fseek(file, place, SEEK_SET);
            int byte = fgetc(file);
            fseek(file, place, SEEK_SET);
            fputc(byte ^ 1, file);
        }
        fclose(file);
        assert_false(build_twice(cache));
        assert_true(build_twice(cache));
    }
}

static void a_cache_that_cannot_be_used(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    assert_true(met_file_write(session, path_of("file"), "x", 1));
    met_session_free(session);
    setenv("TMPDIR", path_of("tmp"), 1);
    assert_int_equal(mkdir(path_of("tmp"), 0700), 0);
    assert_int_equal(mkdir(path_of("open"), 0700), 0);
    assert_int_equal(chmod(path_of("open"), 0777), 0); /* anybody may put code there */
    const char *caches[] = { path_of("file/below"), path_of("open"), "" };
    for (size_t i = 0; i < 3; i++) {
        assert_false(build_twice(caches[i]));
        assert_false(build_twice(caches[i]));
    }
    assert_int_equal(count_files(path_of("open"), "", NULL, 0), 0);
    assert_int_equal(count_files(path_of("tmp"), "", NULL, 0), 0);
    setenv("TMPDIR", path_of("missing"), 1);
    session = met_session_new();
    met_compiler *compiler = compiler_at(session, "");
    met_unit unit = { .symbol = "twice", .text = twice_text };
    assert_false(met_compiler_build(compiler, 1, &unit));
    assert_true(strstr(met_session_diagnostics_text(session), "error[file]") != NULL);
    met_compiler_free(compiler);
    met_session_free(session);
    unsetenv("TMPDIR");
}

static void a_source_that_is_wrong(void **state)
{
    (void)state;
    char path[512];
    met_session *session = met_session_new();
    met_compiler *compiler = compiler_at(session, path_of("wrong"));
    met_unit units[] = { { .symbol = "twice", .text = twice_text }, { .symbol = "bad", .text = "int bad(int x) { return y; }\n" } };
    assert_false(met_compiler_build(compiler, 2, units));
    met_compiler_free(compiler);
    const char *text = met_session_diagnostics_text(session);
    assert_non_null(strstr(text, "error[compiler]: the C compiler `"));
    assert_non_null(strstr(text, "failed on the kernel `bad` with status 1"));
    assert_non_null(strstr(text, "y")); /* the compiler's own words */
    assert_int_equal(count_files(path_of("wrong"), ".c", path, sizeof path), 1);
    assert_non_null(strstr(text, path));
    const char *kept;
    size_t length;
    assert_true(met_file_read(session, path, 1000, &kept, &length));
    assert_string_equal(kept, units[1].text);
    met_session_free(session);
}

static void a_symbol_that_is_missing(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    met_compiler *compiler = compiler_at(session, path_of("symbol"));
    met_unit unit = { .symbol = "thrice", .text = twice_text };
    assert_false(met_compiler_build(compiler, 1, &unit));
    assert_non_null(strstr(met_session_diagnostics_text(session), "cannot load the kernel `thrice`"));
    met_compiler_free(compiler);
    met_session_free(session);
}

static void compilers_that_are_none(void **state)
{
    (void)state;
    static const char *const commands[] = { "met-no-such-compiler", "false", "/", "sh -c" };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        met_session *session = met_session_new();
        assert_null(met_compiler_new(session, &(met_compiler_options){ .command = commands[i] }));
        assert_non_null(strstr(met_session_diagnostics_text(session), "does not run"));
        met_session_free(session);
    }
}

static void a_flood_of_words(void **state)
{
    (void)state;
    static const char script[] = "#!/bin/sh\n[ \"$1\" = --version ] && exit 0\nyes 'a flood of words' | head -c 3000000\nexit 7\n";
    met_session *session = met_session_new();
    assert_true(met_file_write(session, path_of("flood"), script, strlen(script)));
    assert_int_equal(chmod(path_of("flood"), 0700), 0);
    met_compiler_options options = { .command = path_of("flood"), .cache = path_of("flooded") };
    met_compiler *compiler = met_compiler_new(session, &options);
    met_unit unit = { .symbol = "twice", .text = twice_text };
    assert_false(met_compiler_build(compiler, 1, &unit));
    const char *text = met_session_diagnostics_text(session);
    assert_non_null(strstr(text, "with status 7"));
    assert_non_null(strstr(text, "a flood of words"));
    assert_true(strlen(text) < 2000);
    met_compiler_free(compiler);
    met_session_free(session);
}

/* Real processes that begin together with nothing in the cache. */
static void several_processes_at_once(void **state)
{
    (void)state;
    enum { PROCESSES = 4, UNITS = 3 };
    int gate[2];
    assert_int_equal(pipe(gate), 0);
    pid_t children[PROCESSES];
    for (int p = 0; p < PROCESSES; p++) {
        children[p] = fork();
        if (children[p] != 0)
            continue;
        char byte;
        close(gate[1]);
        if (read(gate[0], &byte, 1) != 0)
            _exit(9);
        met_session *session = met_session_new();
        met_compiler *compiler = compiler_at(session, path_of("shared"));
        met_unit units[UNITS] = { { .symbol = "f", .text = "int f(int x); int f(int x) { return x + 1; }\n" },
                                  { .symbol = "f", .text = "int f(int x); int f(int x) { return x + 2; }\n" },
                                  { .symbol = "f", .text = "int f(int x); int f(int x) { return x + 3; }\n" } };
        bool good = met_compiler_build(compiler, UNITS, units);
        for (int u = 0; u < UNITS && good; u++)
            good = call(&units[u], 10) == 11 + u;
        met_compiler_free(compiler);
        met_session_free(session);
        _exit(good ? 0 : 1);
    }
    close(gate[0]);
    close(gate[1]); /* the gate opens */
    for (int p = 0; p < PROCESSES; p++) {
        int status = -1;
        assert_int_equal(waitpid(children[p], &status, 0), children[p]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(count_files(path_of("shared"), "", NULL, 0), UNITS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compiled_once),
        cmocka_unit_test(everything_that_matters_is_in_the_key),
        cmocka_unit_test(damaged_entries_are_made_anew),
        cmocka_unit_test(a_cache_that_cannot_be_used),
        cmocka_unit_test(a_source_that_is_wrong),
        cmocka_unit_test(a_symbol_that_is_missing),
        cmocka_unit_test(compilers_that_are_none),
        cmocka_unit_test(a_flood_of_words),
        cmocka_unit_test(several_processes_at_once),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
