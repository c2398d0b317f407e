#include "host/perturb.h"

#include <math.h>
#include <string.h>

#include "base/diag.h"
#include "host/evidence_parts.h"

static const met_span nowhere;

struct met_perturb {
    met_evidence *evidence;
    met_budget_measure measure;
    int64_t now;
    bool failed;
};

/* --- Rows --- */

static void bind_key(sqlite3_stmt *statement, const met_amplify_key *key)
{
    sqlite3_bind_text(statement, 1, key->computes, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, key->data, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 3, (sqlite3_int64)key->seed);
    sqlite3_bind_int64(statement, 4, key->read);
    sqlite3_bind_int64(statement, 5, key->result);
}

/* The schema checks what goes in; what has been made to look like it from outside is looked at again. */
static bool is_sound(const met_evidence *evidence, const met_amplification *found)
{
    if (isfinite(found->max) && isfinite(found->spread) && found->q99 <= found->max && found->median <= found->q99 &&
        found->median >= 0 && found->rejected <= found->directions)
        return true;
    met_diag_add(evidence->session, MET_DIAG_evidence, nowhere, "the evidence store `%s` has a row that no measurement gives",
                 evidence->path);
    return false;
}

bool met_perturb_find(met_evidence *evidence, const met_amplify_key *key, met_amplification *ret_found)
{
    static const char sql[] = "SELECT directions, rejected, max, q99, median, spread, singular FROM perturbation "
                              "WHERE computes = ? AND data = ? AND seed = ? AND read = ? AND result = ?";
    if (!evidence->db || !evidence->has_perturbation)
        return false;
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(evidence->db, sql, -1, &statement, NULL);
    if (code == SQLITE_OK) {
        bind_key(statement, key);
        code = sqlite3_step(statement);
    }
    bool there = code == SQLITE_ROW;
    if (there)
        *ret_found = (met_amplification){
            .directions = (uint32_t)sqlite3_column_int64(statement, 0), .rejected = (uint32_t)sqlite3_column_int64(statement, 1),
            .max = sqlite3_column_double(statement, 2), .q99 = sqlite3_column_double(statement, 3),
            .median = sqlite3_column_double(statement, 4), .spread = sqlite3_column_double(statement, 5),
            .singular = sqlite3_column_double(statement, 6), .stored = true,
        };
    if (!there && code != SQLITE_DONE)
        met_evidence_fail(evidence, "read");
    sqlite3_finalize(statement);
    return there && is_sound(evidence, ret_found);
}

bool met_perturb_put(met_evidence *evidence, const met_amplify_key *key, const met_amplification *found, int64_t measured_at)
{
    static const char sql[] = "INSERT OR REPLACE INTO perturbation (computes, data, seed, read, result, ops, directions, rejected, "
                              "max, q99, median, spread, singular, measured_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(evidence->db, sql, -1, &statement, NULL);
    if (code == SQLITE_OK) {
        const double numbers[] = { found->max, found->q99, found->median, found->spread, found->singular };
        bind_key(statement, key);
        sqlite3_bind_text(statement, 6, key->ops, strlen(key->ops) < 4000 ? -1 : 4000, SQLITE_STATIC);
        sqlite3_bind_int64(statement, 7, found->directions);
        sqlite3_bind_int64(statement, 8, found->rejected);
        for (int k = 0; k < 5; k++)
            sqlite3_bind_double(statement, 9 + k, numbers[k]);
        sqlite3_bind_int64(statement, 14, measured_at);
        code = sqlite3_step(statement);
    }
    if (code != SQLITE_DONE)
        met_evidence_fail(evidence, "write to");
    sqlite3_finalize(statement);
    return code == SQLITE_DONE;
}

/* --- As budgets ask --- */

static const met_amplification *find(void *context, const met_amplify_key *key)
{
    met_perturb *perturb = context;
    met_amplification *found = MET_NEW(perturb->evidence->session->arena, met_amplification);
    return met_perturb_find(perturb->evidence, key, found) ? found : NULL;
}

static void keep(void *context, const met_amplify_key *key, const met_amplification *found)
{
    met_perturb *perturb = context;
    if (!perturb->failed && found->directions > 0)
        perturb->failed = !met_perturb_put(perturb->evidence, key, found, perturb->now);
}

met_perturb *met_perturb_new(met_evidence *evidence, uint64_t seed, bool measure, int64_t now)
{
    met_perturb *perturb = MET_NEW(evidence->session->arena, met_perturb);
    *perturb = (met_perturb){ .evidence = evidence, .now = now };
    perturb->measure = (met_budget_measure){ find, measure ? keep : NULL, perturb, seed };
    return perturb;
}

const met_budget_measure *met_perturb_measure(const met_perturb *perturb)
{
    return &perturb->measure;
}

bool met_perturb_good(const met_perturb *perturb)
{
    return !perturb->failed;
}
