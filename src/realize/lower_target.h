/* What a class says to plans of whole ops: which regions are one kernel, and, if it is realized here, what their arithmetic is.
 * Of a class that is realized the generator decides with derivation; of any other derivation alone. */
#ifndef MET_REALIZE_LOWER_TARGET_H
#define MET_REALIZE_LOWER_TARGET_H

#include "plan/of_lowering.h"
#include "realize/program.h"

typedef struct met_lower_target {
    const met_class *class; /* NULL: the class has plans and costs only; then `realize` is not set */
    met_point point;
    const met_settled *settled;
    met_realize_request realize;
    met_region_judge *judge;
} met_lower_target;

/* At the default point of the circuit's dtype, with the dot products that the setting `dot` says ("pairs"; anything else: fma).
 * Tiles must fit the L2 of a class that is realized, otherwise what one unit of the device has of its innermost level (`device`
 * NULL: any). Lives in the session. NULL with a diagnostic if the circuit cannot be settled. */
met_lower_target *met_lower_target_new(const met_circuit *circuit, const met_hardware *hardware, const met_device *device, const char *dot);

#endif
