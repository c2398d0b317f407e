/* From a way to a program: by the planners of settled nodes, or by those of whole ops and the blueprint. */
#include <string.h>

#include "base/diag.h"
#include "host/blueprint.h"
#include "host/subject_parts.h"
#include "met/plan.h"
#include "plan/of_lowering.h"

static const met_span nowhere;

bool met_way_lowers(const met_way *way)
{
    return strcmp(way->planner, "greedy") == 0 || strcmp(way->planner, "exact") == 0;
}

/* The blueprint's class whose kernels are those of a class of the generator. */
static const char *hardware_of(const met_lkb *lkb, const met_class *class)
{
    for (uint32_t h = 0; h < lkb->hardware_count; h++)
        if (lkb->hardware[h].class_name && strcmp(lkb->hardware[h].class_name, class->name) == 0)
            return lkb->hardware[h].id;
    met_diag_add(lkb->session, MET_DIAG_run, nowhere, "the blueprint has no class that `%s` realizes", class->name);
    return NULL;
}

const met_lowering *met_subject_lowering(const met_subject *subject, const met_way *way, const met_class *class)
{
    met_blueprint_request files = { .kernels = way->kernels };
    const met_lkb *lkb = met_blueprint_load(subject->session, &files);
    const char *hardware = lkb ? hardware_of(lkb, class) : NULL;
    met_plan_request request = { .planner = way->planner, .hardware = hardware, .mode = way->mode, .rows = way->rows };
    return hardware ? met_plan_circuit(subject->settled->written, lkb, &request) : NULL;
}

static const met_plan *plan_of(const met_subject *subject, const met_way *way, const met_class *class,
                               const met_plan_options *options)
{
    met_planner planner;
    if (met_way_lowers(way)) {
        const met_lowering *lowering = met_subject_lowering(subject, way, class);
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
    const met_plan *plan = plan_of(subject, way, class, &limits);
    met_realize_options options = { .threads = way->threads, .tiles = way->tiles };
    return plan ? met_realize(plan, class, &options) : NULL;
}
