#include <string.h>

#include "audit/report.h"
#include "base/diag.h"
#include "host/auditing_parts.h"
#include "host/cpu.h"
#include "host/evidence.h"
#include "host/file.h"
#include "host/measured.h"
#include "host/model.h"
#include "host/planning.h"
#include "host/rule_laxity.h"
#include "host/target.h"
#include "host/toml.h"
#include "realize/lower_target.h"

/* What the reports of all classes share. */
typedef struct reporting {
    met_auditing *auditing;
    met_session *session;
    uint32_t model_count;
    const met_audit_model *models;
    met_evidence *evidence; /* NULL: there is none */
    met_compiler *compiler;
} reporting;

/* Of one class. */
typedef struct class_report {
    reporting *shared;
    const met_hardware *hardware;
    const met_device *device;
    const met_lowering **lowerings; /* by model; NULL where there is no plan */
    met_run_list *runs;             /* by model */
    met_evidence_points points;
} class_report;

static const met_device *device_of(const met_lkb *lkb, const met_hardware *hardware, const char *asked)
{
    const met_device *named = asked ? met_lkb_device(lkb, asked) : NULL;
    for (uint32_t d = 0; !named && d < lkb->device_count; d++)
        if (!strcmp(lkb->devices[d].class_id, hardware->id))
            named = &lkb->devices[d];
    return named;
}

/* --- Plans of models --- */

static const met_lowering *plan(const class_report *c, const met_audit_model *model, const char **ret_why)
{
    met_session *session = c->shared->session;
    met_plan_request request = { .planner = "greedy", .hardware = c->device ? c->device->id : c->hardware->id, .mode = model->mode,
                                 .rows = 1, .partial = true };
    met_diag_mark mark = met_session_mark(session);
    const met_lowering *lowering = met_plan_circuit(model->circuit, c->shared->auditing->lkb, &request);
    const char *why = met_session_take_message(session, mark);
    *ret_why = lowering ? NULL : why;
    return lowering;
}

/* Points that the other models run. */
static const met_run_point *runs_of_others(const class_report *c, uint32_t model, uint32_t *ret_count)
{
    met_run_list all = { { 0 } };
    for (uint32_t m = 0; m < c->shared->model_count; m++)
        for (size_t r = 0; m != model && r < c->runs[m].at.count; r++)
            MET_PUSH(c->shared->session->arena, &all.at, c->runs[m].at.at[r]);
    *ret_count = (uint32_t)all.at.count;
    return all.at.at;
}

static met_model_report compare(class_report *c, uint32_t m)
{
    const met_audit_model *model = &c->shared->models[m];
    met_model_report report = { .model = model->name, .mode = model->mode, .rows = 1 };
    met_venn_facts facts = { .lkb = c->shared->auditing->lkb, .hardware = c->hardware };
    if (c->points.count > 0) {
        facts.evidence = met_evidence_has_point;
        facts.context = &c->points;
    }
    facts.runs = runs_of_others(c, m, &facts.run_count);
    report.venn = met_venn_new(c->lowerings[m], &facts);
    return report;
}

static void plan_models(class_report *c, met_class_report *report)
{
    met_arena *arena = c->shared->session->arena;
    uint32_t count = c->shared->model_count;
    met_model_report *models = MET_NEW_ARRAY(arena, met_model_report, count + 1);
    met_model_venn *venns = MET_NEW_ARRAY(arena, met_model_venn, count + 1);
    const char **why = MET_NEW_ARRAY(arena, const char *, count + 1);
    uint32_t venn_count = 0;
    c->lowerings = MET_NEW_ARRAY(arena, const met_lowering *, count + 1);
    c->runs = MET_NEW_ARRAY(arena, met_run_list, count + 1);
    for (uint32_t m = 0; m < count; m++) {
        met_auditing_say(c->shared->auditing, "plan of %s on %s", c->shared->models[m].name, c->hardware->id);
        c->lowerings[m] = plan(c, &c->shared->models[m], &why[m]);
        if (c->lowerings[m])
            met_run_points(c->lowerings[m], c->shared->auditing->lkb, c->shared->models[m].name, NULL, 0, &c->runs[m]);
    }
    for (uint32_t m = 0; m < count; m++) {
        models[m] = (met_model_report){ .model = c->shared->models[m].name, .mode = c->shared->models[m].mode, .rows = 1, .why = why[m] };
        if (!c->lowerings[m])
            continue;
        models[m] = compare(c, m);
        venns[venn_count++] = (met_model_venn){ models[m].model, models[m].venn };
    }
    report->models = models;
    report->model_count = count;
    report->promotions = met_promotions(c->shared->auditing->lkb, c->hardware, venn_count, venns, &report->promotion_count);
}

/* --- Measured time of rules --- */

/* The device that evidence is about: the one that was asked for, unless its name is the class's; else this machine. */
static bool target_of(const class_report *c, met_target *ret_target)
{
    const char *asked = c->shared->auditing->request.hardware;
    bool device = asked && met_lkb_device(c->shared->auditing->lkb, asked) && strcmp(asked, c->hardware->class_name) != 0;
    return met_target_find(c->shared->session, c->shared->auditing->lkb, c->hardware->class_name, device ? asked : NULL, ret_target);
}

static const met_lowering *toy_plan(const class_report *c, const met_toy *toy)
{
    met_plan_request request = { .planner = "greedy", .hardware = c->hardware->id, .mode = toy->mode, .rows = 1, .partial = true };
    met_diag_mark mark = met_session_mark(c->shared->session);
    const met_lowering *lowering = met_plan_circuit(toy->circuit, c->shared->auditing->lkb, &request);
    met_session_take_message(c->shared->session, mark);
    return lowering;
}

/* What was measured of a circuit's groups, on the device that evidence of this class is about here. */
static void measure(const class_report *c, const met_lowering *lowering, const met_target *target, met_class_report *report,
                    met_rule_laxity *laxities)
{
    const met_lower_target *lower = lowering ? met_lower_target_new(lowering->circuit, c->hardware, c->device, NULL) : NULL;
    if (!lower)
        return;
    met_measured_request request = { .evidence = c->shared->evidence, .settled = lower->settled, .class = lower->class,
                                     .device = target->device, .blueprint = target->blueprint };
    met_measured *measured = met_measured_new(&request, c->shared->compiler);
    if (measured)
        met_rule_laxities_add(lowering, measured, &report->laxity_count, laxities);
}

static void measure_rules(class_report *c, met_class_report *report)
{
    reporting *r = c->shared;
    met_target target;
    size_t count;
    if (!r->evidence || !r->compiler || !c->hardware->class_name || !met_cpu_can_run(r->session, c->hardware->class_name))
        return;
    if (!target_of(c, &target))
        return;
    report->has_store = true;
    met_rule_laxity *laxities = MET_NEW_ARRAY(r->session->arena, met_rule_laxity, c->hardware->rule_count + 1);
    const met_evidence_row *rows = met_evidence_rows(r->evidence, target.device, &count);
    c->points = (met_evidence_points){ rows ? count : 0, rows, target.blueprint };
    for (uint32_t t = 0; c->points.count > 0 && t < r->auditing->toy_count; t++)
        measure(c, toy_plan(c, r->auditing->toys[t]), &target, report, laxities);
    report->laxities = laxities;
}

static void measure_models(class_report *c, met_class_report *report)
{
    reporting *r = c->shared;
    met_target target;
    if (!report->has_store || c->points.count == 0 || !target_of(c, &target))
        return;
    for (uint32_t m = 0; m < r->model_count; m++)
        measure(c, c->lowerings[m], &target, report, (met_rule_laxity *)(uintptr_t)report->laxities);
}

/* --- A class --- */

static met_class_report make_report(reporting *shared, const met_class_audit *class_audit)
{
    met_auditing *auditing = shared->auditing;
    class_report c = { .shared = shared, .hardware = class_audit->hardware,
                       .device = device_of(auditing->lkb, class_audit->hardware, auditing->request.hardware) };
    met_class_report report = { .lkb = auditing->lkb, .hardware = c.hardware, .device = c.device, .audits = class_audit->audits,
                                .audit_count = c.hardware->rule_count };
    measure_rules(&c, &report);
    plan_models(&c, &report);
    measure_models(&c, &report);
    met_class_report_finish(&report);
    return report;
}

static bool begin(reporting *shared, met_auditing *auditing)
{
    *shared = (reporting){ .auditing = auditing, .session = auditing->session };
    size_t errors = met_session_error_count(auditing->session);
    if (!met_auditing_tags(auditing))
        return false;
    shared->model_count = met_auditing_models(auditing->session, auditing->request.kernels, &shared->models);
    shared->evidence = met_evidence_open(auditing->session, auditing->request.store, false);
    shared->compiler = shared->evidence ? met_compiler_new(auditing->session, &(met_compiler_options){ 0 }) : NULL;
    return met_session_error_count(auditing->session) == errors;
}

static void end(reporting *shared)
{
    met_compiler_free(shared->compiler);
    met_evidence_close(shared->evidence);
}

const char *met_auditing_report(met_auditing *auditing, bool json)
{
    reporting shared;
    met_text text = met_text_new(auditing->session->arena);
    met_json list = met_json_new(&text);
    bool good = begin(&shared, auditing);
    if (json)
        met_json_open(&list, NULL, '[');
    for (uint32_t c = 0; good && c < auditing->class_count; c++) {
        met_class_report report = make_report(&shared, &auditing->classes[c]);
        if (json && c > 0)
            met_json_line(&list, 0);
        if (json) {
            met_class_report_json(&list, &report);
        } else {
            met_text_put(&text, c == 0 ? "" : "\n");
            met_class_report_print(&text, &report);
        }
    }
    if (json)
        met_json_close(&list, ']');
    end(&shared);
    return !good ? NULL : json ? met_json_done(&list) : met_text_done(&text);
}

/* --- History --- */

static const char *history_path(met_auditing *auditing)
{
    const char *kernels = met_kernels_directory(auditing->session, auditing->request.kernels);
    met_text path = met_text_new(auditing->session->arena);
    met_text_format(&path, "%s/HISTORY.toml", kernels ? kernels : "");
    return kernels ? met_text_done(&path) : NULL;
}

static const met_history *read_history(met_auditing *auditing, const char *path)
{
    static const met_history empty = { 0 };
    if (!met_file_exists(path))
        return &empty;
    uint32_t source = met_file_source(auditing->session, path);
    const met_value *file = source ? met_toml_read(auditing->session, source) : NULL;
    return file ? met_history_read(auditing->session, file) : NULL;
}

static const met_history *append(met_auditing *auditing, const met_history *history, const char *date)
{
    reporting shared;
    met_class_metrics *metrics = MET_NEW_ARRAY(auditing->session->arena, met_class_metrics, auditing->lkb->hardware_count + 1);
    met_history_version version = { date, auditing->lkb->digest, 0, metrics };
    bool good = begin(&shared, auditing);
    met_evidence_close(shared.evidence); /* the history is of the blueprint, not of this machine */
    shared.evidence = NULL;
    for (uint32_t c = 0; good && c < auditing->class_count; c++)
        metrics[version.class_count++] = make_report(&shared, &auditing->classes[c]).metrics;
    end(&shared);
    return good ? met_history_append(auditing->session, history, &version) : NULL;
}

const char *met_auditing_history(met_auditing *auditing, const char *date, bool json)
{
    met_session *session = auditing->session;
    met_text text = met_text_new(session->arena), file = met_text_new(session->arena);
    const char *path = history_path(auditing);
    const met_history *history = path ? read_history(auditing, path) : NULL;
    if (date && !met_history_date_valid(date)) {
        met_diag_add(session, MET_DIAG_usage, (met_span){ 0, 0, 0 }, "`%s` is no date: YYYY-MM-DD", date);
        return NULL;
    }
    if (history && date) {
        history = append(auditing, history, date);
        if (history)
            met_history_write(&file, history);
        if (history && !met_file_write(session, path, met_text_done(&file), file.length))
            return NULL;
    }
    if (!history)
        return NULL;
    if (json)
        return met_history_json(session->arena, history);
    met_history_print(&text, history);
    return met_text_done(&text);
}
