/* kernels/HISTORY.toml: what each version of the blueprint amounted to, class by class. A new class should add data, not
 * kernels; here that can be seen. Versions are told apart by the blueprint's digest, dates are the caller's. */
#ifndef MET_AUDIT_HISTORY_H
#define MET_AUDIT_HISTORY_H

#include "audit/promotion.h"
#include "base/json.h"

typedef struct met_class_metrics {
    const char *id;
    uint64_t families, points, copies; /* that the class has, inherited ones included */
    uint64_t kernels;                  /* of the families that it has */
    uint64_t own_kernels;              /* of those, that its parent does not have */
    uint64_t residual;
    uint64_t rules, equations;
    double coverage, measured;         /* means over models; of classes without a device 0 */
} met_class_metrics;

typedef struct met_history_version {
    const char *date, *digest;
    uint32_t class_count;
    const met_class_metrics *classes;
} met_history_version;

typedef struct met_history {
    uint32_t version_count;
    const met_history_version *versions;
} met_history;

/* All but equations, coverage and measured: those take circuits. */
met_class_metrics met_class_metrics_of(const met_lkb *lkb, const met_hardware *hardware);

/* The counts among them, in the order in which they are written; ends with a key that is NULL. */
extern const met_json_field met_class_counts[];

/* NULL with diagnostics. */
const met_history *met_history_read(met_session *session, const met_value *file);
void met_history_write(met_text *out, const met_history *history);
/* The history with one more version at its end; the same history if its last one has this digest and these metrics. */
const met_history *met_history_append(met_session *session, const met_history *history, const met_history_version *version);

/* A date as YYYY-MM-DD. */
bool met_history_date_valid(const char *date);

/* A line a class and version, with what has changed since the version before; at most 80 columns. */
void met_history_print(met_text *out, const met_history *history);
const char *met_history_json(met_arena *arena, const met_history *history);

#endif
