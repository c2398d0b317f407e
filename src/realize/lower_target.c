#include "realize/lower_target.h"

#include <string.h>

met_lower_target *met_lower_target_new(const met_circuit *circuit, const met_hardware *hardware, const met_device *device, const char *dot)
{
    met_lower_target *target = MET_NEW(circuit->session->arena, met_lower_target);
    target->class = hardware->class_name ? met_class_find(hardware->class_name) : NULL;
    target->point = met_point_of((met_dtype)circuit->default_format.dtype);
    target->point.dot = dot && strcmp(dot, "pairs") == 0 ? MET_DOT_PAIRS : MET_DOT_F32;
    target->settled = met_settled_new(circuit, &target->point);
    if (!target->settled)
        return NULL;
    met_plan_options limits = { .capacity_bytes = device && device->units > 0 ? device->levels[0].capacity_bytes / device->units : 0 };
    if (target->class) {
        target->realize = (met_realize_request){ target->class, &target->point };
        limits = (met_plan_options){ target->class->l2_bytes, met_realize_accepts_at, &target->realize };
    }
    target->judge = met_region_judge_new(target->settled, &limits);
    return target;
}
