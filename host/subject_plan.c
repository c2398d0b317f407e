/* From a way to a program: by the planners of settled nodes, or by those of whole ops and the blueprint. */
#include <string.h>

#include "base/diag.h"
#include "host/blueprint.h"
#include "host/cpu.h"
#include "host/plan_pair.h"
#include "host/planning.h"
#include "host/subject_parts.h"
#include "met/plan.h"
#include "plan/lowering_diff.h"
#include "plan/of_lowering.h"
#include "realize/writer.h"

static const met_span nowhere;

bool met_way_lowers(const met_way *way)
{
    return strcmp(way->planner, "greedy") == 0 || strcmp(way->planner, "exact") == 0;
}

/* What the blueprint calls it: "cpu" is the best class that this machine can run, and a class is its first device, so that there
 * are prices. */
static const char *target_of(const met_lkb *lkb, const char *hardware)
{
    if (strcmp(hardware, "cpu") == 0)
        hardware = met_cpu_class(lkb->session, hardware);
    for (uint32_t d = 0; hardware && d < lkb->device_count; d++)
        if (!met_lkb_device(lkb, hardware) && strcmp(lkb->devices[d].class_id, hardware) == 0)
            return lkb->devices[d].id;
    return hardware;
}

const char *met_way_class(met_session *session, const met_way *way)
{
    if (strcmp(way->hardware, "cpu") == 0 || met_class_find(way->hardware))
        return met_cpu_class(session, way->hardware);
    met_blueprint_request files = { .kernels = way->kernels };
    const met_lkb *lkb = met_blueprint_load(session, &files);
    const met_device *device = lkb ? met_lkb_device(lkb, way->hardware) : NULL;
    const met_hardware *hardware = device ? met_lkb_hardware(lkb, device->class_id) : NULL;
    if (!lkb)
        return NULL;
    return met_cpu_class(session, hardware && hardware->class_name ? hardware->class_name : way->hardware);
}

const met_lowering *met_subject_lowering(const met_subject *subject, const met_way *way)
{
    met_planning planning = { .kernels = way->kernels, .measured = way->measured, .store = way->store, .threads = way->threads };
    const met_lkb *lkb = way->lkb ? way->lkb : met_planning_blueprint(subject->session, &planning);
    met_plan_request request = { .planner = way->planner, .mode = way->mode ? way->mode : "run" };
    if (way->setting) {
        request.setting_count = 1;
        request.settings = &way->setting;
    }
    if (lkb)
        request.hardware = way->device ? way->device : target_of(lkb, way->hardware);
    met_circuit *written = (met_circuit *)(uintptr_t)subject->settled->written;
    /* binding what is bound already says how many rows that is */
    return request.hardware && met_plan_bind(written, &request) ? met_planning_lower(written, lkb, &request, &planning) : NULL;
}

/* --- Two plans --- */

static bool can_run(met_session *session, const met_hardware *hardware)
{
    return hardware->class_name && met_cpu_can_run(session, hardware->class_name);
}

bool met_way_runs(met_session *session, const met_way *way, bool *ret_runs)
{
    met_blueprint_request files = { .kernels = way->kernels };
    const met_lkb *lkb = met_blueprint_load(session, &files);
    const char *target = lkb ? target_of(lkb, way->hardware) : NULL;
    const met_device *device;
    const met_hardware *hardware;
    if (!target || !met_lkb_target(lkb, target, &device, &hardware))
        return false;
    *ret_runs = can_run(session, hardware);
    return true;
}

static met_plan_side side_of(const met_subject *subject, const met_way *way, const met_lowering *lowering)
{
    return (met_plan_side){ .name = met_format_text(subject->session->arena, "%s@%s", way->planner, way->hardware),
                            .device = lowering->device ? lowering->device->id : NULL,
                            .digest = met_lowering_digest(lowering),
                            .groups = lowering->group_count,
                            .seconds = lowering->price.seconds,
                            .bytes = lowering->price.bytes,
                            .runs = can_run(subject->session, lowering->hardware),
                            .emulated = way->emulate };
}

const met_plan_pair *met_subject_plans(const met_subject *subject, const met_way *a, const met_way *b)
{
    const met_lowering *of_a = met_subject_lowering(subject, a), *of_b = of_a ? met_subject_lowering(subject, b) : NULL;
    if (!of_b)
        return NULL;
    const met_lowering_diff *diff = met_lowering_compare(of_a, of_b);
    met_plan_pair *pair = MET_NEW(subject->session->arena, met_plan_pair);
    met_plan_change *changes = MET_NEW_ARRAY(subject->session->arena, met_plan_change, diff->change_count);
    for (uint32_t k = 0; k < diff->change_count; k++) {
        const met_lowering_change *c = &diff->changes[k];
        changes[k] = (met_plan_change){ c->count, c->ops, c->a, c->b, c->a_seconds, c->b_seconds };
    }
    *pair = (met_plan_pair){ .a = side_of(subject, a, of_a), .b = side_of(subject, b, of_b), .same = diff->same,
                             .same_a_seconds = diff->same_a_seconds, .same_b_seconds = diff->same_b_seconds,
                             .change_count = diff->change_count, .changes = changes };
    return pair;
}

/* --- Programs --- */

static const met_plan *plan_of(const met_subject *subject, const met_way *way, const met_plan_options *options)
{
    met_planner planner;
    if (met_planner_find(met_str_of(way->planner), &planner))
        return met_plan_make(subject->circuit, &subject->point, planner, options);
    met_diag *diag = met_diag_add(subject->session, MET_DIAG_usage, nowhere, "there is no planner `%s`", way->planner);
    met_diag_help(diag, "it is none, fused, whole, greedy or exact");
    return NULL;
}

const met_program *met_subject_program(const met_subject *subject, const met_way *way, const met_class *class)
{
    const met_lowering *lowering = met_way_lowers(way) ? met_subject_lowering(subject, way) : NULL;
    return lowering || !met_way_lowers(way) ? met_subject_program_of(subject, way, class, lowering) : NULL;
}

const met_program *met_subject_program_of(const met_subject *subject, const met_way *way, const met_class *class, const met_lowering *lowering)
{
    met_realize_request request = { class, &subject->point };
    met_plan_options limits = { .capacity_bytes = class->l2_bytes, .accepts = met_realize_accepts_at, .context = &request };
    const met_plan *plan = lowering ? met_plan_of_lowering(lowering, subject->settled, &limits) : plan_of(subject, way, &limits);
    met_realize_options options = { .threads = way->threads, .tiles = way->tiles };
    return plan ? met_realize(plan, class, &options) : NULL;
}
