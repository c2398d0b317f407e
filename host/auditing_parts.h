/* Inside of auditing: toys (auditing_toys.c), the check (auditing.c), microtests (auditing_run.c). */
#ifndef MET_HOST_AUDITING_PARTS_H
#define MET_HOST_AUDITING_PARTS_H

#include "base/session.h"

#include "audit/tags.h"
#include "host/auditing.h"
#include "host/compiler.h"

/* The tags of one class, and its microtests if they were run. */
typedef struct met_class_audit {
    const met_hardware *hardware;
    const met_tag_audit *audits; /* by rule of the class */
    uint32_t equations;
    bool ran;                    /* microtests */
    uint32_t run_count, same_count, void_count; /* runs of programs on one set of numbers */
} met_class_audit;

struct met_auditing {
    met_session *session;
    met_auditing_request request;
    const met_lkb *lkb;
    const met_hardware *only; /* NULL: all classes */
    uint32_t toy_count;
    const met_toy *const *toys;
    met_tag_auditor *auditor;
    uint32_t class_count;
    met_class_audit *classes; /* that were asked for */
    bool tagged;              /* their tags have been checked */
    bool tags_good;
};

/* Tags of all classes that are asked for, once. False with diagnostics. */
bool met_auditing_tags(met_auditing *auditing);

/* What models ask of a class: models.c. */
typedef struct met_audit_model {
    const char *name, *mode;
    const met_circuit *circuit; /* bound */
} met_audit_model;
/* Models under models/ in mode decode, or else the toys in f32, in their first mode. */
uint32_t met_auditing_models(met_session *session, const char *kernels, const met_audit_model **ret_models);

/* Whether evidence of a device is at a point: for met_venn_facts.evidence. */
typedef struct met_evidence_points {
    size_t count;
    const struct met_evidence_row *rows;
    const char *blueprint; /* digest of the class */
} met_evidence_points;
bool met_evidence_has_point(void *points, const met_family *family, const char *const *values, uint64_t rows);

/* The toys of all architectures, in all modes, in f32 and bf16, and the examples of rules. False with diagnostics. */
bool met_auditing_load_toys(met_auditing *auditing);

/* Runs the microtests of a class's rules. False with diagnostics `tag` where bytes differ. */
bool met_auditing_run_class(met_auditing *auditing, met_class_audit *class_audit, met_compiler *compiler);

void met_auditing_say(const met_auditing *auditing, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
