/* The file of an evidence store: opening, making, and refusing what is no store. */
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "host/evidence_parts.h"
#include "host/file.h"
#include "host/user_data.h"

static const met_span nowhere;

/* How long to wait for another process that writes. */
enum { PATIENCE_MS = 20000 };

/* "met1", so that a file of someone else with a table of this name is not taken for ours. */
#define APPLICATION_ID "1835365425"

/* Kept in the file word for word, and compared word for word when it is opened: triggers, views and other tables are not ours.
 * A change of this text is a new version. */
static const char schema[] =
    "CREATE TABLE evidence ("
    "computes TEXT NOT NULL CHECK (length(computes) = 64), "
    "device TEXT NOT NULL CHECK (length(device) BETWEEN 1 AND 200), "
    "class TEXT NOT NULL CHECK (length(class) BETWEEN 1 AND 200), "
    "threads INTEGER NOT NULL CHECK (threads BETWEEN 1 AND 65536), "
    "caches TEXT NOT NULL CHECK (caches IN ('warm', 'cold')), "
    "kernel TEXT NOT NULL CHECK (length(kernel) = 64), "
    "blueprint TEXT NOT NULL CHECK (length(blueprint) IN (0, 64)), "
    "family TEXT NOT NULL CHECK (length(family) <= 200), "
    "name TEXT NOT NULL CHECK (length(name) <= 200), "
    "point TEXT NOT NULL CHECK (length(point) <= 4000), "
    "nodes TEXT NOT NULL CHECK (length(nodes) <= 4000), "
    "sizes TEXT NOT NULL CHECK (length(sizes) <= 4000), "
    "rows INTEGER NOT NULL CHECK (rows >= 0), "
    "launches INTEGER NOT NULL CHECK (launches BETWEEN 1 AND 1000000), "
    "repeats INTEGER NOT NULL CHECK (repeats BETWEEN 1 AND 1000000000), "
    "min_s REAL NOT NULL CHECK (min_s > 0), "
    "median_s REAL NOT NULL CHECK (median_s >= min_s AND median_s < 1e9), "
    "spread REAL NOT NULL CHECK (spread >= 0 AND spread < 1e9), "
    "joules REAL CHECK (joules > 0 AND joules < 1e12), "
    "measured_at INTEGER NOT NULL CHECK (measured_at >= 0), "
    "PRIMARY KEY (computes, device, class, threads, caches, kernel, blueprint)"
    ") STRICT, WITHOUT ROWID";

/* Of version 2; a store of version 1 has the other table alone, and gets this one when something is written to it. */
static const char perturbation_schema[] =
    "CREATE TABLE perturbation ("
    "computes TEXT NOT NULL CHECK (length(computes) = 64), "
    "data TEXT NOT NULL CHECK (length(data) = 64), "
    "seed INTEGER NOT NULL, "
    "read INTEGER NOT NULL CHECK (read BETWEEN 0 AND 1000000), "
    "result INTEGER NOT NULL CHECK (result BETWEEN 0 AND 1000000), "
    "ops TEXT NOT NULL CHECK (length(ops) <= 4000), "
    "directions INTEGER NOT NULL CHECK (directions BETWEEN 1 AND 1000000), "
    "rejected INTEGER NOT NULL CHECK (rejected BETWEEN 0 AND directions), "
    "max REAL NOT NULL CHECK (max >= 0 AND max < 1e300), "
    "q99 REAL NOT NULL CHECK (q99 >= 0 AND q99 <= max), "
    "median REAL NOT NULL CHECK (median >= 0 AND median <= q99), "
    "spread REAL NOT NULL CHECK (spread >= 0 AND spread < 1e300), "
    "singular REAL NOT NULL CHECK (singular >= 0 AND singular <= max), "
    "measured_at INTEGER NOT NULL CHECK (measured_at >= 0), "
    "PRIMARY KEY (computes, data, seed, read, result)"
    ") STRICT, WITHOUT ROWID";

/* --- What can go wrong --- */

bool met_evidence_fail(met_evidence *evidence, const char *verb)
{
    int code = sqlite3_errcode(evidence->db) & 0xff;
    const char *why = sqlite3_errmsg(evidence->db);
    bool unsound = code == SQLITE_NOTADB || code == SQLITE_CORRUPT;
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
        why = "another process is writing to it";
    met_diag *diag = met_diag_add(evidence->session, unsound ? MET_DIAG_evidence : MET_DIAG_file, nowhere,
                                  "cannot %s the evidence store `%s`: %s", verb, evidence->path, why);
    if (unsound)
        met_diag_help(diag, "move it away; a new one is made when something is measured");
    if (code == SQLITE_CANTOPEN)
        met_diag_help(diag, "the directory must exist, and be one that you may write to");
    return false;
}

bool met_evidence_exec(met_evidence *evidence, const char *verb, const char *sql)
{
    return sqlite3_exec(evidence->db, sql, NULL, NULL, NULL) == SQLITE_OK || met_evidence_fail(evidence, verb);
}

static bool refuse(met_evidence *evidence, const char *why)
{
    met_diag *diag = met_diag_add(evidence->session, MET_DIAG_evidence, nowhere, "`%s` is no evidence store: %s",
                                  evidence->path, why);
    met_diag_help(diag, "--store names another; one that is not there is made when something is measured");
    return false;
}

/* --- What is in the file --- */

/* The first column of the first row as a number, or as a text in *ret_text; 0 and NULL without a row. */
static bool ask(met_evidence *evidence, const char *sql, int64_t *ret_number, const char **ret_text)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(evidence->db, sql, -1, &statement, NULL);
    code = code == SQLITE_OK ? sqlite3_step(statement) : code;
    *ret_number = 0;
    if (ret_text)
        *ret_text = NULL;
    if (code == SQLITE_ROW) {
        *ret_number = sqlite3_column_int64(statement, 0);
        const char *text = ret_text ? (const char *)sqlite3_column_text(statement, 0) : NULL;
        if (text)
            *ret_text = met_arena_text(evidence->session->arena, text, strlen(text));
        code = SQLITE_DONE;
    }
    sqlite3_finalize(statement);
    return code == SQLITE_DONE || met_evidence_fail(evidence, "read");
}

static bool check_version(met_evidence *evidence, int64_t version)
{
    if (version >= 1 && version <= MET_EVIDENCE_VERSION)
        return true;
    met_diag *diag = met_diag_add(evidence->session, MET_DIAG_evidence, nowhere,
                                  "the evidence store `%s` has version %lld, and this met reads version %d", evidence->path,
                                  (long long)version, MET_EVIDENCE_VERSION);
    met_diag_help(diag, "--store names another file");
    return false;
}

/* Sets has_table; false with a diagnostic for anything but a store or an empty file. */
static bool look(met_evidence *evidence)
{
    int64_t objects, application, version, ignored;
    const char *text, *second = NULL;
    if (!ask(evidence, "SELECT count(*) FROM sqlite_schema", &objects, NULL) ||
        !ask(evidence, "PRAGMA application_id", &application, NULL) ||
        !ask(evidence, "PRAGMA user_version", &version, NULL))
        return false;
    evidence->has_table = objects > 0;
    if (objects == 0 && application == 0 && version == 0)
        return true;
    if (application != strtoll(APPLICATION_ID, NULL, 10))
        return refuse(evidence, "it is a database of something else");
    if (!check_version(evidence, version) ||
        !ask(evidence, "SELECT sql FROM sqlite_schema WHERE name = 'evidence'", &ignored, &text) ||
        !ask(evidence, "SELECT sql FROM sqlite_schema WHERE name = 'perturbation'", &ignored, &second))
        return false;
    evidence->has_perturbation = version >= 2;
    bool sound = text && strcmp(text, schema) == 0 && objects == version;
    if (!sound || (version >= 2 && (!second || strcmp(second, perturbation_schema) != 0)))
        return refuse(evidence, "its tables are not those of a store");
    if (!ask(evidence, "PRAGMA quick_check(1)", &ignored, &text))
        return false;
    return (text && strcmp(text, "ok") == 0) || refuse(evidence, text ? "it is damaged" : "it cannot be checked");
}

/* Both tables, or the one that a store of version 1 lacks. */
static bool make_tables(met_evidence *evidence)
{
    if (!evidence->has_table && (!met_evidence_exec(evidence, "make", schema) ||
                                 !met_evidence_exec(evidence, "make", "PRAGMA application_id = " APPLICATION_ID)))
        return false;
    return met_evidence_exec(evidence, "make", perturbation_schema) &&
           met_evidence_exec(evidence, "make", "PRAGMA user_version = 2");
}

/* Two processes may come upon a new file: the second finds the tables of the first. */
static bool make(met_evidence *evidence)
{
    if (!met_evidence_exec(evidence, "make", "BEGIN IMMEDIATE"))
        return false;
    bool good = look(evidence) && (evidence->has_perturbation || make_tables(evidence));
    if (good && met_evidence_exec(evidence, "make", "COMMIT"))
        return evidence->has_table = evidence->has_perturbation = true;
    sqlite3_exec(evidence->db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

/* --- Opening --- */

/* NULL if there is none, with a diagnostic if it is to be written. */
static const char *default_path(met_session *session, bool write)
{
    const char *given = getenv("MET_EVIDENCE");
    if (given && given[0])
        return given;
    const char *path = met_user_data_path(session, "evidence.sqlite");
    if (path && write && !met_user_data_make(session, path))
        return NULL;
    if (!path && write)
        met_diag_help(met_diag_add(session, MET_DIAG_file, nowhere, "there is no place for an evidence store"),
                      "$MET_EVIDENCE, $XDG_DATA_HOME or $HOME names one, or --store");
    return path;
}

/* A name that SQLite takes for something else than a file, such as ":memory:". */
static const char *file_name(met_session *session, const char *path)
{
    if (path[0] != ':')
        return path;
    met_text text = met_text_new(session->arena);
    met_text_format(&text, "./%s", path);
    return met_text_done(&text);
}

static bool open_file(met_evidence *evidence, bool write)
{
    met_session *session = evidence->session;
    if (!evidence->path[0] || met_file_is_directory(evidence->path)) {
        met_diag_add(session, MET_DIAG_file, nowhere, "cannot open the evidence store `%s`: %s", evidence->path,
                     evidence->path[0] ? "it is a directory" : "its name is empty");
        return false;
    }
    int flags = SQLITE_OPEN_READWRITE | (write ? SQLITE_OPEN_CREATE : 0);
    if (sqlite3_open_v2(file_name(session, evidence->path), &evidence->db, flags, NULL) != SQLITE_OK)
        return met_evidence_fail(evidence, "open");
    sqlite3_busy_timeout(evidence->db, PATIENCE_MS);
    /* the file may come from anywhere: nothing that its schema says is run */
    sqlite3_db_config(evidence->db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)NULL);
    sqlite3_db_config(evidence->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)NULL);
    sqlite3_db_config(evidence->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)NULL);
    sqlite3_db_config(evidence->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)NULL);
    return met_evidence_exec(evidence, "read", "PRAGMA cell_size_check = ON") && look(evidence) &&
           (!write || evidence->has_perturbation || make(evidence));
}

met_evidence *met_evidence_open(met_session *session, const char *path, bool write)
{
    met_evidence *evidence = MET_NEW(session->arena, met_evidence);
    *evidence = (met_evidence){ .session = session, .path = path ? path : default_path(session, write) };
    if (!path && !write && (!evidence->path || !met_file_exists(evidence->path)))
        return evidence;
    if (evidence->path && open_file(evidence, write))
        return evidence;
    met_evidence_close(evidence);
    return NULL;
}

void met_evidence_close(met_evidence *evidence)
{
    if (evidence)
        sqlite3_close(evidence->db);
    if (evidence)
        evidence->db = NULL;
}

const char *met_evidence_path(const met_evidence *evidence)
{
    return evidence->path;
}
