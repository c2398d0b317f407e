/* The evidence store: what goes in comes out, what is stale is no answer, and no file, however it came to be, does harm. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "base/diag.h"
#include "host/evidence.h"

static char directory[] = "/tmp/met-evidence-XXXXXX";
static char store[256], other[256];

#define DIGEST(c) c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c

static const met_evidence_row sample = {
    .key = { .computes = DIGEST("a"), .device = "here", .class_name = "cpu-avx2", .threads = 2, .caches = MET_CACHES_COLD,
             .kernel = DIGEST("b"), .blueprint = DIGEST("c") },
    .family = "contract", .name = "matmul", .point = "weight=bf16", .nodes = "einsum, \"add\"\xc3\xa9", .sizes = "n=4 m=32",
    .rows = 4, .launches = 2, .repeats = 31, .min_s = 0.1, .median_s = 0.1 + 1e-17, .spread = 0.25,
    .has_joules = true, .joules = 3.5, .measured_at = 1700000000,
};

static int setup(void **state)
{
    (void)state;
    if (!mkdtemp(directory))
        return -1;
    snprintf(store, sizeof store, "%s/store.sqlite", directory);
    snprintf(other, sizeof other, "%s/other.sqlite", directory);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    remove(store);
    remove(other);
    return rmdir(directory);
}

static int fresh(void **state)
{
    *state = met_session_new();
    remove(store);
    remove(other);
    return 0;
}

static int done(void **state)
{
    met_session_free(*state);
    return 0;
}

static met_evidence *opened(met_session *session, bool write)
{
    met_evidence *evidence = met_evidence_open(session, store, write);
    if (!evidence)
        fail_msg("%s", met_session_diagnostics_text(session));
    return evidence;
}

static void put_one(met_session *session, const met_evidence_row *row)
{
    met_evidence *evidence = opened(session, true);
    assert_true(met_evidence_put(evidence, 1, row));
    met_evidence_close(evidence);
}

/* Exactly one diagnostic, with this code and these words. */
static void assert_refused(met_session *session, const char *code, const char *words)
{
    const char *text = met_session_diagnostics_text(session);
    if (met_session_error_count(session) != 1 || !strstr(text, code) || !strstr(text, words))
        fail_msg("wanted one [%s] with \"%s\", got:\n%s", code, words, text);
    met_session_clear_diagnostics(session);
}

static void assert_same_row(const met_evidence_row *a, const met_evidence_row *b)
{
    assert_string_equal(a->key.computes, b->key.computes);
    assert_string_equal(a->key.device, b->key.device);
    assert_string_equal(a->key.class_name, b->key.class_name);
    assert_string_equal(a->key.kernel, b->key.kernel);
    assert_string_equal(a->key.blueprint, b->key.blueprint);
    assert_string_equal(a->family, b->family);
    assert_string_equal(a->name, b->name);
    assert_string_equal(a->point, b->point);
    assert_string_equal(a->nodes, b->nodes);
    assert_string_equal(a->sizes, b->sizes);
    assert_true(a->key.threads == b->key.threads && a->key.caches == b->key.caches);
    assert_true(a->rows == b->rows && a->launches == b->launches && a->repeats == b->repeats);
    assert_true(a->min_s == b->min_s && a->median_s == b->median_s && a->spread == b->spread);
    assert_true(a->has_joules == b->has_joules && a->joules == b->joules && a->measured_at == b->measured_at);
}

static void test_round_trip(void **state)
{
    met_evidence_row row = sample, got = { 0 };
    put_one(*state, &row);
    met_evidence *evidence = opened(*state, false);
    assert_int_equal(met_evidence_find(evidence, &row.key, &got), MET_EVIDENCE_FRESH);
    assert_same_row(&got, &row);
    size_t count;
    const met_evidence_row *all = met_evidence_rows(evidence, NULL, &count);
    assert_int_equal(count, 1);
    assert_same_row(all, &row);
    assert_non_null(met_evidence_rows(evidence, "elsewhere", &count));
    assert_int_equal(count, 0);
    met_evidence_close(evidence);
}

static void test_joules_that_are_not_known_are_not_zero(void **state)
{
    met_evidence_row row = sample, got = { 0 };
    row.has_joules = false;
    row.joules = 0;
    put_one(*state, &row);
    met_evidence *evidence = opened(*state, false);
    assert_int_equal(met_evidence_find(evidence, &row.key, &got), MET_EVIDENCE_FRESH);
    assert_false(got.has_joules);
    met_evidence_close(evidence);
    sqlite3 *db;
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_open(store, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT joules FROM evidence", -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    assert_int_equal(sqlite3_column_type(statement, 0), SQLITE_NULL);
    sqlite3_finalize(statement);
    sqlite3_close(db);
}

static void test_a_row_replaces_that_of_its_key_only(void **state)
{
    met_evidence_row row = sample, got = { 0 };
    put_one(*state, &row);
    row.median_s = 0.2;
    put_one(*state, &row);
    met_evidence_row warm = row;
    warm.key.caches = MET_CACHES_WARM;
    warm.min_s = warm.median_s = 0.01;
    put_one(*state, &warm);
    met_evidence *evidence = opened(*state, false);
    size_t count;
    met_evidence_rows(evidence, "here", &count);
    assert_int_equal(count, 2);
    assert_int_equal(met_evidence_find(evidence, &sample.key, &got), MET_EVIDENCE_FRESH);
    assert_true(got.median_s == 0.2);
    met_evidence_close(evidence);
}

static void test_stale_rows_are_no_answer(void **state)
{
    static const struct {
        const char *kernel, *blueprint;
        met_evidence_verdict verdict;
    } cases[] = {
        { DIGEST("b"), DIGEST("c"), MET_EVIDENCE_FRESH },
        { NULL, DIGEST("c"), MET_EVIDENCE_FRESH },
        { DIGEST("b"), DIGEST("d"), MET_EVIDENCE_OTHER_BLUEPRINT },
        { NULL, DIGEST("d"), MET_EVIDENCE_OTHER_BLUEPRINT },
        { DIGEST("e"), DIGEST("c"), MET_EVIDENCE_OTHER_KERNEL },
        { DIGEST("e"), DIGEST("d"), MET_EVIDENCE_OTHER_KERNEL },
    };
    put_one(*state, &sample);
    met_evidence *evidence = opened(*state, false);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        met_evidence_key key = sample.key;
        met_evidence_row got = { 0 };
        key.kernel = cases[i].kernel;
        key.blueprint = cases[i].blueprint;
        assert_int_equal(met_evidence_find(evidence, &key, &got), cases[i].verdict);
    }
    met_evidence_key key = sample.key;
    key.threads = 1;
    met_evidence_row got;
    assert_int_equal(met_evidence_find(evidence, &key, &got), MET_EVIDENCE_ABSENT);
    met_evidence_close(evidence);
}

static void test_a_fresh_row_is_found_among_stale_ones(void **state)
{
    met_evidence_row row = sample, got = { 0 };
    put_one(*state, &row);
    row.key.kernel = DIGEST("e"); /* measured later */
    row.measured_at++;
    put_one(*state, &row);
    row.key.blueprint = DIGEST("d");
    row.measured_at++;
    put_one(*state, &row);
    met_evidence *evidence = opened(*state, true);
    assert_int_equal(met_evidence_find(evidence, &sample.key, &got), MET_EVIDENCE_FRESH);
    assert_int_equal(got.measured_at, sample.measured_at);
    size_t count;
    assert_true(met_evidence_forget(evidence, DIGEST("c"), &count));
    assert_int_equal(count, 1);
    met_evidence_rows(evidence, NULL, &count);
    assert_int_equal(count, 2);
    met_evidence_close(evidence);
}

static void test_all_rows_or_none(void **state)
{
    met_evidence_row rows[2] = { sample, sample };
    rows[1].key.threads = 3;
    rows[1].min_s = -1; /* no clock gives that */
    met_evidence *evidence = opened(*state, true);
    assert_false(met_evidence_put(evidence, 2, rows));
    assert_refused(*state, "file", "CHECK");
    size_t count;
    met_evidence_rows(evidence, NULL, &count);
    assert_int_equal(count, 0);
    rows[1].min_s = NAN;
    assert_false(met_evidence_put(evidence, 2, rows));
    assert_refused(*state, "file", "min_s");
    met_evidence_close(evidence);
}

enum { WRITERS = 4, EACH = 10 };

/* Every writer opens the store itself, the first of them makes it. */
static int write_many(unsigned writer)
{
    met_session *session = met_session_new();
    int failures = 0;
    for (unsigned i = 0; i < EACH; i++) {
        met_evidence_row row = sample;
        row.key.threads = 1 + writer * EACH + i;
        met_evidence *evidence = met_evidence_open(session, store, true);
        failures += !evidence || !met_evidence_put(evidence, 1, &row);
        met_evidence_close(evidence);
    }
    if (failures)
        fputs(met_session_diagnostics_text(session), stderr);
    met_session_free(session);
    return failures;
}

static void test_processes_write_at_once(void **state)
{
    pid_t children[WRITERS];
    for (unsigned w = 0; w < WRITERS; w++) {
        children[w] = fork();
        assert_true(children[w] >= 0);
        if (children[w] == 0)
            _exit(write_many(w));
    }
    for (unsigned w = 0; w < WRITERS; w++) {
        int status;
        waitpid(children[w], &status, 0);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    met_evidence *evidence = opened(*state, false);
    size_t count;
    assert_non_null(met_evidence_rows(evidence, NULL, &count));
    assert_int_equal(count, WRITERS * EACH);
    met_evidence_close(evidence);
}

/* --- Files that are no stores --- */

static size_t read_bytes(const char *path, unsigned char *bytes, size_t room)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t length = fread(bytes, 1, room, file);
    fclose(file);
    return length;
}

static void write_bytes(const char *path, const unsigned char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

static void test_what_is_no_database(void **state)
{
    unsigned char bytes[4096];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 7 + 13);
    write_bytes(store, bytes, sizeof bytes);
    for (int write = 0; write < 2; write++) {
        assert_null(met_evidence_open(*state, store, write));
        assert_refused(*state, "evidence", "not a database");
    }
    unsigned char after[4096];
    assert_int_equal(read_bytes(store, after, sizeof after), sizeof bytes);
    assert_memory_equal(after, bytes, sizeof bytes); /* and it is left alone */
}

static void test_databases_of_others(void **state)
{
    static const struct {
        const char *sql, *words;
    } cases[] = {
        { "CREATE TABLE evidence (a)", "something else" },
        { "PRAGMA application_id = 1835365425; PRAGMA user_version = 3", "version 3" },
        { "PRAGMA application_id = 1835365425; PRAGMA user_version = 1; CREATE TABLE evidence (a)", "tables" },
        { "PRAGMA application_id = 1835365425; PRAGMA user_version = 1; CREATE VIEW evidence AS SELECT 1", "tables" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        remove(store);
        sqlite3 *db;
        assert_int_equal(sqlite3_open(store, &db), SQLITE_OK);
        assert_int_equal(sqlite3_exec(db, cases[i].sql, NULL, NULL, NULL), SQLITE_OK);
        sqlite3_close(db);
        for (int write = 0; write < 2; write++) {
            assert_null(met_evidence_open(*state, store, write));
            assert_refused(*state, "evidence", cases[i].words);
        }
    }
}

static void test_a_table_beside_ours(void **state)
{
    put_one(*state, &sample);
    sqlite3 *db;
    assert_int_equal(sqlite3_open(store, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "CREATE TRIGGER t AFTER INSERT ON evidence BEGIN DELETE FROM evidence; END", NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    assert_null(met_evidence_open(*state, store, false));
    assert_refused(*state, "evidence", "tables");
}

/* A store cut short, or with some bytes changed, opens with what it held or is refused with one diagnostic. */
static void test_damaged_stores(void **state)
{
    enum { ROOM = 1 << 16, ROUNDS = 300 };
    static unsigned char whole[ROOM], bad[ROOM];
    met_evidence *made = opened(*state, true);
    for (uint32_t i = 1; i <= 40; i++) {
        met_evidence_row row = sample;
        row.key.threads = i;
        assert_true(met_evidence_put(made, 1, &row));
    }
    met_evidence_close(made);
    size_t length = read_bytes(store, whole, ROOM), refused = 0;
    uint64_t random = 1;
    for (int round = 0; round < ROUNDS; round++) {
        memcpy(bad, whole, length);
        for (int change = 0; change < 1 + round % 8; change++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            bad[(random >> 33) % length] = (unsigned char)(random >> 20);
        }
        write_bytes(other, bad, round % 5 ? length : (random >> 40) % length);
        met_session *session = met_session_new();
        met_evidence *evidence = met_evidence_open(session, other, round % 2);
        size_t count = 0;
        if (evidence)
            met_evidence_rows(evidence, NULL, &count);
        assert_true(count <= 40);
        assert_true(met_session_error_count(session) <= 1);
        assert_true(evidence || met_session_error_count(session) == 1);
        refused += !evidence;
        met_evidence_close(evidence);
        met_session_free(session);
    }
    assert_true(refused > ROUNDS / 4);
}

static void test_places_that_are_not_there(void **state)
{
    char path[300];
    snprintf(path, sizeof path, "%s/none/store.sqlite", directory);
    for (int write = 0; write < 2; write++) {
        assert_null(met_evidence_open(*state, path, write));
        assert_refused(*state, "file", "cannot open");
        assert_null(met_evidence_open(*state, directory, write));
        assert_refused(*state, "file", "directory");
        assert_null(met_evidence_open(*state, "", write));
        assert_refused(*state, "file", "empty");
    }
    assert_null(met_evidence_open(*state, store, false)); /* named, but not there */
    assert_refused(*state, "file", "cannot open");
}

static void test_the_default_place(void **state)
{
    char home[300], data[400], path[600];
    snprintf(home, sizeof home, "%s/data", directory);
    snprintf(data, sizeof data, "%s/met", home);
    snprintf(path, sizeof path, "%s/evidence.sqlite", data);
    setenv("XDG_DATA_HOME", home, 1);
    unsetenv("MET_EVIDENCE");
    met_evidence *evidence = met_evidence_open(*state, NULL, false);
    assert_non_null(evidence);
    met_evidence_row got;
    size_t count;
    assert_int_equal(met_evidence_find(evidence, &sample.key, &got), MET_EVIDENCE_ABSENT);
    assert_non_null(met_evidence_rows(evidence, NULL, &count));
    assert_int_equal(count, 0);
    met_evidence_close(evidence);
    evidence = met_evidence_open(*state, NULL, true);
    assert_non_null(evidence);
    assert_string_equal(met_evidence_path(evidence), path);
    assert_true(met_evidence_put(evidence, 1, &sample));
    met_evidence_close(evidence);
    assert_int_equal(remove(path), 0);
    assert_int_equal(rmdir(data), 0);
    assert_int_equal(rmdir(home), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh, done)
    const struct CMUnitTest tests[] = {
        TEST(test_round_trip),
        TEST(test_joules_that_are_not_known_are_not_zero),
        TEST(test_a_row_replaces_that_of_its_key_only),
        TEST(test_stale_rows_are_no_answer),
        TEST(test_a_fresh_row_is_found_among_stale_ones),
        TEST(test_all_rows_or_none),
        TEST(test_processes_write_at_once),
        TEST(test_what_is_no_database),
        TEST(test_databases_of_others),
        TEST(test_a_table_beside_ours),
        TEST(test_damaged_stores),
        TEST(test_places_that_are_not_there),
        TEST(test_the_default_place),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
