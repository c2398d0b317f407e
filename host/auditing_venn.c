#include <string.h>

#include "audit/report.h"
#include "base/diag.h"
#include "host/auditing_parts.h"
#include "host/cpu.h"
#include "host/evidence.h"
#include "host/planning.h"
#include "host/target.h"

static const met_span nowhere;

typedef struct comparison {
    met_session *session;
    const met_lkb *lkb;
    const met_venn_request *request;
    const met_lowering *target;
    uint32_t model_count;
    const met_audit_model *models; /* loaded when asked for */
} comparison;

static const met_lowering *plan(const comparison *c, const met_audit_model *model, const char *hardware)
{
    met_plan_request request = { .planner = c->request->planner, .hardware = hardware, .mode = model->mode, .rows = 1, .partial = true };
    return met_plan_circuit(model->circuit, c->lkb, &request);
}

/* Runs of some models on a class: of the one of that name, or of all but the target. */
static bool add_runs(comparison *c, const met_hardware *hardware, const char *only, met_run_list *runs)
{
    bool found = false;
    if (!c->models)
        c->model_count = met_auditing_models(c->session, c->request->kernels, &c->models);
    for (uint32_t m = 0; m < c->model_count; m++) {
        const met_audit_model *model = &c->models[m];
        bool target = c->request->name && !strcmp(model->name, c->request->name);
        if (only ? strcmp(model->name, only) != 0 : target)
            continue;
        met_diag_mark mark = met_session_mark(c->session);
        const met_lowering *lowering = plan(c, model, hardware->id);
        if (!lowering)
            met_session_take_message(c->session, mark); /* a class may have no plan for a model: then it runs nothing of it */
        else
            met_run_points(lowering, c->lkb, model->name, NULL, 0, runs);
        found = true;
    }
    return found;
}

/* What was measured here of a class that this machine can run. */
static met_evidence_points points_of(const comparison *c, const met_hardware *hardware)
{
    met_evidence_points points = { 0 };
    met_target target;
    if (!hardware->class_name || !met_cpu_can_run(c->session, hardware->class_name) ||
        !met_target_find(c->session, c->lkb, hardware->class_name, NULL, &target))
        return points;
    met_evidence *evidence = met_evidence_open(c->session, c->request->store, false);
    const met_evidence_row *rows = evidence ? met_evidence_rows(evidence, target.device, &points.count) : NULL;
    points.count = rows ? points.count : 0;
    points.rows = rows;
    points.blueprint = target.blueprint;
    met_evidence_close(evidence);
    return points;
}

/* One of the names: a class, whose families and models count, or a model on the target's class. */
static const met_venn *against(comparison *c, const char *name)
{
    met_run_list runs = { { 0 } };
    const met_hardware *hardware = met_lkb_hardware(c->lkb, name);
    const met_device *device = met_lkb_device(c->lkb, name);
    if (!hardware && device)
        hardware = met_lkb_hardware(c->lkb, device->class_id);
    const char *only = hardware ? NULL : name;
    hardware = hardware ? hardware : c->target->hardware;
    if (!add_runs(c, hardware, only, &runs) && only) {
        met_diag *d = met_diag_add(c->session, MET_DIAG_usage, nowhere, "`%s` is no class, no device and no model", name);
        met_diag_help(d, "met hw list names classes; models are what is under models/ of the kernels directory");
        return NULL;
    }
    met_venn_facts facts = { .lkb = c->lkb, .hardware = hardware, .run_count = (uint32_t)runs.at.count, .runs = runs.at.at };
    met_evidence_points points = points_of(c, hardware);
    if (points.count > 0) {
        facts.evidence = met_evidence_has_point;
        facts.context = &points;
    }
    return met_venn_new(c->target, &facts);
}

static bool put_each(comparison *c, met_text *text, met_json *json)
{
    bool first = true;
    for (const char *at = c->request->against; *at; first = false) {
        size_t length = strcspn(at, ",");
        const char *name = met_arena_text(c->session->arena, at, length);
        const met_venn *venn = against(c, name);
        if (!venn)
            return false;
        if (json && !first)
            met_json_line(json, 0);
        if (json) {
            met_venn_json(json, venn, name);
        } else {
            met_text_put(text, first ? "" : "\n");
            met_venn_print(text, venn, name);
        }
        at += length + (at[length] == ',');
    }
    return true;
}

const char *met_auditing_venn(met_session *session, const met_lkb *lkb, const met_venn_request *request, bool json)
{
    comparison c = { .session = session, .lkb = lkb, .request = request };
    met_plan_request target = { .planner = request->planner, .hardware = request->hardware, .mode = request->mode,
                                .rows = request->rows ? request->rows : 1, .partial = true };
    met_text text = met_text_new(session->arena);
    met_json list = met_json_new(&text);
    c.target = met_plan_circuit(request->circuit, lkb, &target);
    if (json)
        met_json_open(&list, NULL, '[');
    if (!c.target || !put_each(&c, &text, json ? &list : NULL))
        return NULL;
    if (!json)
        return met_text_done(&text);
    met_json_close(&list, ']');
    return met_json_done(&list);
}
