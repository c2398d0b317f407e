/* From a way to a program: by the planners of settled nodes, or by those of whole ops and the blueprint. */
#include <string.h>

#include "base/diag.h"
#include "host/blueprint.h"
#include "host/cpu.h"
#include "host/plan_pair.h"
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

const met_lowering *met_subject_lowering(const met_subject *subject, const met_way *way)
{
    met_blueprint_request files = { .kernels = way->kernels };
    const met_lkb *lkb = met_blueprint_load(subject->session, &files);
    met_plan_request request = { .planner = way->planner, .hardware = lkb ? target_of(lkb, way->hardware) : NULL,
                                 .mode = way->mode ? way->mode : "run" };
    met_circuit *written = (met_circuit *)(uintptr_t)subject->settled->written;
    /* binding what is bound already says how many rows that is */
    return request.hardware && met_plan_bind(written, &request) ? met_plan_circuit(written, lkb, &request) : NULL;
}

/* --- Two plans --- */

static met_plan_side side_of(const met_subject *subject, const met_way *way, const met_lowering *lowering)
{
    return (met_plan_side){ .name = met_format_text(subject->session->arena, "%s@%s", way->planner, way->hardware),
                            .device = lowering->device ? lowering->device->id : NULL,
                            .digest = met_lowering_digest(lowering),
                            .groups = lowering->group_count,
                            .seconds = lowering->price.seconds,
                            .bytes = lowering->price.bytes,
                            .runs = lowering->hardware->class_name &&
                                    met_cpu_can_run(subject->session, lowering->hardware->class_name) };
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
    *pair = (met_plan_pair){ side_of(subject, a, of_a), side_of(subject, b, of_b), diff->same, diff->change_count, changes };
    return pair;
}

/* --- Programs --- */

static const met_plan *plan_of(const met_subject *subject, const met_way *way, const met_plan_options *options)
{
    met_planner planner;
    if (met_way_lowers(way)) {
        const met_lowering *lowering = met_subject_lowering(subject, way);
        return lowering ? met_plan_of_lowering(lowering, subject->settled, options) : NULL;
    }
    if (met_planner_find(met_str_of(way->planner), &planner))
        return met_plan_make(subject->circuit, &subject->point, planner, options);
    met_diag *diag = met_diag_add(subject->session, MET_DIAG_usage, nowhere, "there is no planner `%s`", way->planner);
    met_diag_help(diag, "it is none, fused, whole, greedy or exact");
    return NULL;
}

const met_program *met_subject_program(const met_subject *subject, const met_way *way, const met_class *class)
{
    met_realize_request request = { class, &subject->point };
    met_plan_options limits = { .capacity_bytes = class->l2_bytes, .accepts = met_realize_accepts_at, .context = &request };
    const met_plan *plan = plan_of(subject, way, &limits);
    met_realize_options options = { .threads = way->threads, .tiles = way->tiles };
    return plan ? met_realize(plan, class, &options) : NULL;
}
