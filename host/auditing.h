/* The blueprint against circuits, kernels and evidence: what `met lkb check`, `report`, `promote` and `history` and
 * `met circuit venn` do. Here are the effects: loading toys and models, files, the compiler, the evidence store; what is said
 * of them is src/audit's. */
#ifndef MET_HOST_AUDITING_H
#define MET_HOST_AUDITING_H

#include "met/blueprint.h"
#include "met/circuit.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct met_auditing met_auditing;

typedef struct met_auditing_request {
    const met_lkb *lkb;
    const char *kernels;  /* as met_model_request.kernels */
    const char *hardware; /* a class or a device; NULL: all classes */
    const char *cache;    /* see met_compiler_options */
    const char *store;    /* of evidence; NULL: the default one */
    void (*progress)(void *context, const char *what); /* NULL: none */
    void *progress_context;
} met_auditing_request;

/* Loads the toys of all architectures. NULL with diagnostics. It lives in the session. */
met_auditing *met_auditing_new(met_session *session, const met_auditing_request *request);

/* Tags, drift, the precision of plans and FORKS.md; with `run` the microtests too. False if something is wrong, with diagnostics (`tag`, `drift`, `precision`,
 * `unmatched-rule`, `stale`). */
bool met_auditing_check(met_auditing *auditing, bool run);
/* What the check found, for people and for programs: equations by class, and microtests if they were run. */
const char *met_auditing_check_text(const met_auditing *auditing);
const char *met_auditing_check_json(const met_auditing *auditing);

/* FORKS.md as it should be. */
const char *met_auditing_forks(const met_lkb *lkb);

/* What the classes cover of a decode step of every model under models/ (of the toys where there are none), what of that is
 * measured, what is left, promotion candidates, and the measured time of rules. NULL with diagnostics. */
const char *met_auditing_report(met_auditing *auditing, bool json);

/* A circuit's plan on the request's hardware against classes and models, "A,B": a report, or JSON. NULL with diagnostics. */
typedef struct met_venn_request {
    const met_circuit *circuit; /* sizes bound */
    const char *name;           /* of the model, which is not compared with itself; NULL */
    const char *hardware, *planner, *mode;
    uint64_t rows;
    const char *against;
    const char *kernels, *store;
} met_venn_request;
const char *met_auditing_venn(met_session *session, const met_lkb *lkb, const met_venn_request *request, bool json);

/* Whether two families could be one: both kernels are run wherever rules give both the same nodes, and their bytes compared;
 * times are those of the evidence store. `a` NULL: all pairs of families. *ret_all: every pair that was asked for may merge.
 * NULL with diagnostics. */
const char *met_auditing_promote(met_auditing *auditing, const char *a, const char *b, bool json, bool *ret_all);

/* kernels/HISTORY.toml: as text or JSON; with a date (YYYY-MM-DD), what the blueprint amounts to now is added to it first. NULL
 * with diagnostics. */
const char *met_auditing_history(met_auditing *auditing, const char *date, bool json);

#ifdef __cplusplus
}
#endif
#endif
