/* Inside of the evidence store: the file and its schema (evidence_file.c), rows in and out (evidence.c). */
#ifndef MET_HOST_EVIDENCE_PARTS_H
#define MET_HOST_EVIDENCE_PARTS_H

#include <sqlite3.h>

#include "host/evidence.h"

struct met_evidence {
    met_session *session;
    const char *path;
    sqlite3 *db;  /* NULL: closed, or a file that is not there and need not be */
    bool has_table; /* false: a new file in which nobody has written yet */
    bool has_perturbation; /* false: likewise, or a store of version 1 */
};

#define MET_EVIDENCE_VERSION 2

/* The diagnostic of what SQLite says of the last call. False. */
bool met_evidence_fail(met_evidence *evidence, const char *verb);
/* Runs statements without results. False with a diagnostic. */
bool met_evidence_exec(met_evidence *evidence, const char *verb, const char *sql);

#endif
