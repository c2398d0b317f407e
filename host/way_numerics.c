#include "host/way_numerics.h"

#include "base/diag.h"
#include "realize/writer.h"

/* What a class that is written for declares holds at the default point alone. */
static const met_plan_numerics *declared_by_default(const met_subject *subject, const met_plan_numerics *declared)
{
    met_point usual = met_point_of(subject->point.dtype);
    if (!declared || met_point_equal(&usual, &subject->point))
        return declared;
    uint32_t count = subject->circuit->node_count;
    met_node_numerics *nodes = met_arena_copy(subject->session->arena, declared->nodes, count, sizeof *nodes);
    for (uint32_t n = 0; n < count; n++) {
        if (!nodes[n].folds)
            continue;
        nodes[n].source = MET_NUMERICS_UNDECLARED;
        nodes[n].why = "the class makes no such kernel at this numerics point";
    }
    met_plan_numerics *numerics = MET_NEW(subject->session->arena, met_plan_numerics);
    *numerics = (met_plan_numerics){ subject->settled, nodes };
    return numerics;
}

const met_plan_numerics *met_way_numerics(const met_subject *subject, const met_way *way, const met_lowering *lowering)
{
    subject = met_subject_of_way(subject, way);
    if (!subject)
        return NULL;
    const met_class *class = lowering->hardware->class_name ? met_class_find(lowering->hardware->class_name) : NULL;
    met_diag_mark mark = met_session_mark(subject->session);
    const met_program *program = class ? met_subject_program_of(subject, way, class, lowering) : NULL;
    if (program)
        return met_numerics_of_program(subject->settled, program);
    met_session_take_message(subject->session, mark);
    const met_plan_numerics *declared = met_numerics_of_lowering(lowering, subject->settled);
    return class ? declared_by_default(subject, declared) : declared;
}
