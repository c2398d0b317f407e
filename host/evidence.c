#include "host/evidence.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/diag.h"
#include "host/evidence_parts.h"

static const met_span nowhere;

const char *met_caches_name(met_caches caches)
{
    return caches == MET_CACHES_COLD ? "cold" : "warm";
}

const char *met_evidence_verdict_words(met_evidence_verdict verdict)
{
    static const char *const words[] = { "not measured", "measured", "stale: other blueprint", "stale: other kernel" };
    return words[verdict];
}

/* --- Columns, in the order of every statement here --- */

typedef enum column_kind { TEXT, COUNT32, COUNT64, TIME, NUMBER, CACHES, JOULES } column_kind;

typedef struct column {
    const char *name;
    column_kind kind;
    size_t offset; /* in met_evidence_row */
} column;

#define COLUMN(name, kind, member) { name, kind, offsetof(met_evidence_row, member) }
static const column columns[] = {
    COLUMN("computes", TEXT, key.computes), COLUMN("device", TEXT, key.device), COLUMN("class", TEXT, key.class_name),
    COLUMN("threads", COUNT32, key.threads), COLUMN("caches", CACHES, key.caches), COLUMN("kernel", TEXT, key.kernel),
    COLUMN("blueprint", TEXT, key.blueprint), COLUMN("family", TEXT, family), COLUMN("name", TEXT, name),
    COLUMN("point", TEXT, point), COLUMN("nodes", TEXT, nodes), COLUMN("sizes", TEXT, sizes), COLUMN("rows", COUNT64, rows),
    COLUMN("launches", COUNT32, launches), COLUMN("repeats", COUNT32, repeats), COLUMN("min_s", NUMBER, min_s),
    COLUMN("median_s", NUMBER, median_s), COLUMN("spread", NUMBER, spread), COLUMN("joules", JOULES, joules),
    COLUMN("measured_at", TIME, measured_at),
};
#undef COLUMN
enum { COLUMNS = sizeof columns / sizeof *columns, KEY_COLUMNS = 5 /* those that a question states */ };

static void bind(sqlite3_stmt *statement, int number, const column *col, const met_evidence_row *row)
{
    const void *at = (const char *)row + col->offset;
    switch (col->kind) {
    case TEXT: sqlite3_bind_text(statement, number, *(const char *const *)at, -1, SQLITE_STATIC); break;
    case COUNT32: sqlite3_bind_int64(statement, number, *(const uint32_t *)at); break;
    case COUNT64: sqlite3_bind_int64(statement, number, (sqlite3_int64)*(const uint64_t *)at); break;
    case TIME: sqlite3_bind_int64(statement, number, *(const int64_t *)at); break;
    case NUMBER: sqlite3_bind_double(statement, number, *(const double *)at); break;
    case CACHES: sqlite3_bind_text(statement, number, met_caches_name(*(const met_caches *)at), -1, SQLITE_STATIC); break;
    case JOULES:
        if (row->has_joules)
            sqlite3_bind_double(statement, number, row->joules);
        break; /* otherwise NULL */
    }
}

static void take(const met_evidence *evidence, sqlite3_stmt *statement, int number, const column *col, met_evidence_row *row)
{
    void *at = (char *)row + col->offset;
    const char *text = col->kind == TEXT || col->kind == CACHES ? (const char *)sqlite3_column_text(statement, number) : NULL;
    text = text ? text : "";
    switch (col->kind) {
    case TEXT: *(const char **)at = met_arena_text(evidence->session->arena, text, strlen(text)); break;
    case COUNT32: *(uint32_t *)at = (uint32_t)sqlite3_column_int64(statement, number); break;
    case COUNT64: *(uint64_t *)at = (uint64_t)sqlite3_column_int64(statement, number); break;
    case TIME: *(int64_t *)at = sqlite3_column_int64(statement, number); break;
    case NUMBER: *(double *)at = sqlite3_column_double(statement, number); break;
    case CACHES: *(met_caches *)at = strcmp(text, "cold") == 0 ? MET_CACHES_COLD : MET_CACHES_WARM; break;
    case JOULES:
        row->has_joules = sqlite3_column_type(statement, number) == SQLITE_FLOAT;
        row->joules = row->has_joules ? sqlite3_column_double(statement, number) : 0;
        break;
    }
}

static void take_row(const met_evidence *evidence, sqlite3_stmt *statement, met_evidence_row *row)
{
    for (int c = 0; c < COLUMNS; c++)
        take(evidence, statement, c, &columns[c], row);
}

/* "a, b, c" or "?, ?, ?" */
static void list_columns(met_text *text, bool names)
{
    for (int c = 0; c < COLUMNS; c++)
        met_text_format(text, "%s%s", c ? ", " : "", names ? columns[c].name : "?");
}

/* --- In --- */

static bool put_rows(met_evidence *evidence, sqlite3_stmt *statement, size_t count, const met_evidence_row *rows)
{
    for (size_t r = 0; r < count; r++) {
        assert(rows[r].key.computes && rows[r].key.kernel && rows[r].key.blueprint && rows[r].rows <= INT64_MAX);
        sqlite3_reset(statement);
        sqlite3_clear_bindings(statement);
        for (int c = 0; c < COLUMNS; c++)
            bind(statement, c + 1, &columns[c], &rows[r]);
        if (sqlite3_step(statement) != SQLITE_DONE)
            return met_evidence_fail(evidence, "write to");
    }
    return true;
}

bool met_evidence_put(met_evidence *evidence, size_t count, const met_evidence_row *rows)
{
    met_text sql = met_text_new(evidence->session->arena);
    met_text_put(&sql, "INSERT OR REPLACE INTO evidence (");
    list_columns(&sql, true);
    met_text_put(&sql, ") VALUES (");
    list_columns(&sql, false);
    met_text_put(&sql, ")");
    if (!met_evidence_exec(evidence, "write to", "BEGIN IMMEDIATE"))
        return false;
    sqlite3_stmt *statement = NULL;
    bool good = sqlite3_prepare_v2(evidence->db, met_text_done(&sql), -1, &statement, NULL) == SQLITE_OK ||
                met_evidence_fail(evidence, "write to");
    good = good && put_rows(evidence, statement, count, rows);
    sqlite3_finalize(statement);
    if (good && met_evidence_exec(evidence, "write to", "COMMIT"))
        return true;
    sqlite3_exec(evidence->db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

bool met_evidence_forget(met_evidence *evidence, const char *blueprint, size_t *ret_count)
{
    sqlite3_stmt *statement = NULL;
    bool good = sqlite3_prepare_v2(evidence->db, "DELETE FROM evidence WHERE blueprint <> ?", -1, &statement, NULL) == SQLITE_OK &&
                sqlite3_bind_text(statement, 1, blueprint, -1, SQLITE_STATIC) == SQLITE_OK &&
                sqlite3_step(statement) == SQLITE_DONE;
    good = good || met_evidence_fail(evidence, "write to");
    sqlite3_finalize(statement);
    *ret_count = good ? (size_t)sqlite3_changes(evidence->db) : 0;
    return good;
}

/* --- Out --- */

/* SELECT of all columns with this end; NULL with a diagnostic, or without if there is nothing to read. */
static sqlite3_stmt *select_rows(met_evidence *evidence, const char *end)
{
    if (!evidence->db || !evidence->has_table)
        return NULL;
    sqlite3_stmt *statement = NULL;
    met_text sql = met_text_new(evidence->session->arena);
    met_text_put(&sql, "SELECT ");
    list_columns(&sql, true);
    met_text_format(&sql, " FROM evidence %s", end);
    if (sqlite3_prepare_v2(evidence->db, met_text_done(&sql), -1, &statement, NULL) != SQLITE_OK)
        met_evidence_fail(evidence, "read");
    return statement;
}

/* The schema checks what goes in; what has been made to look like it from outside has to be looked at again. */
static bool sound(const met_evidence *evidence, const met_evidence_row *row)
{
    if (isfinite(row->median_s) && isfinite(row->spread) && row->min_s > 0 && row->median_s >= row->min_s && row->repeats > 0)
        return true;
    met_diag_add(evidence->session, MET_DIAG_evidence, nowhere, "the evidence store `%s` has a row that no measurement gives",
                 evidence->path);
    return false;
}

static met_evidence_verdict judge(const met_evidence_key *wanted, const met_evidence_key *found)
{
    if (wanted->kernel && strcmp(wanted->kernel, found->kernel) != 0)
        return MET_EVIDENCE_OTHER_KERNEL;
    return strcmp(wanted->blueprint, found->blueprint) == 0 ? MET_EVIDENCE_FRESH : MET_EVIDENCE_OTHER_BLUEPRINT;
}

met_evidence_verdict met_evidence_find(met_evidence *evidence, const met_evidence_key *key, met_evidence_row *ret_row)
{
    sqlite3_stmt *statement = select_rows(evidence, "WHERE computes = ? AND device = ? AND class = ? AND threads = ? AND "
                                                    "caches = ? ORDER BY measured_at DESC, kernel, blueprint");
    if (!statement)
        return MET_EVIDENCE_ABSENT;
    met_evidence_row question = { .key = *key };
    for (int c = 0; c < KEY_COLUMNS; c++)
        bind(statement, c + 1, &columns[c], &question);
    met_evidence_verdict verdict = MET_EVIDENCE_ABSENT;
    int code = SQLITE_DONE;
    while (verdict != MET_EVIDENCE_FRESH && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        take_row(evidence, statement, ret_row);
        met_evidence_verdict one = judge(key, &ret_row->key);
        verdict = one == MET_EVIDENCE_FRESH || verdict == MET_EVIDENCE_ABSENT ? one :
                  one < verdict                                              ? one : verdict;
    }
    if (code != SQLITE_DONE && code != SQLITE_ROW)
        met_evidence_fail(evidence, "read");
    sqlite3_finalize(statement);
    return verdict == MET_EVIDENCE_FRESH && !sound(evidence, ret_row) ? MET_EVIDENCE_ABSENT : verdict;
}

const met_evidence_row *met_evidence_rows(met_evidence *evidence, const char *device, size_t *ret_count)
{
    MET_VEC(met_evidence_row) rows = { 0 };
    met_arena *arena = evidence->session->arena;
    size_t errors = met_session_error_count(evidence->session);
    sqlite3_stmt *statement = select_rows(evidence, "WHERE ?1 IS NULL OR device = ?1 ORDER BY device, class, computes, threads, "
                                                    "caches, measured_at, kernel, blueprint");
    int code = SQLITE_DONE;
    if (statement && device)
        sqlite3_bind_text(statement, 1, device, -1, SQLITE_STATIC);
    while (statement && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        met_evidence_row row = { 0 };
        take_row(evidence, statement, &row);
        if (!sound(evidence, &row))
            break;
        MET_PUSH(arena, &rows, row);
    }
    if (code != SQLITE_DONE && code != SQLITE_ROW)
        met_evidence_fail(evidence, "read");
    sqlite3_finalize(statement);
    *ret_count = rows.count;
    if (met_session_error_count(evidence->session) > errors)
        return NULL;
    return rows.at ? rows.at : MET_NEW(arena, met_evidence_row);
}
