/* Kernels as text (docs/plan.md). */
#ifndef MET_DERIVE_KERNEL_TEXT_H
#define MET_DERIVE_KERNEL_TEXT_H

#include "derive/kernel.h"

void met_kernel_print(met_text *out, const met_kernel *kernel);

const char *met_phase_name(met_step_phase phase);     /* head, body, fold, tail */
const char *met_monoid_name(met_monoid monoid);       /* sum, prod, max, min, any */

#endif
