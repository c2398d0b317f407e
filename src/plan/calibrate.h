/* Prices where some groups were measured and others were not: what nobody measured costs what the model says, times what the
 * measured groups of the same family take over what the model says of those; where none of the family is measured, of all
 * families. Otherwise a model that hopes too much makes what was never measured look best. */
#ifndef MET_PLAN_CALIBRATE_H
#define MET_PLAN_CALIBRATE_H

#include "plan/lower_parts.h"

/* Works the scales out from the candidates that are measured, and sets the seconds of all others by them. Without any that is
 * measured nothing changes. */
void met_lower_calibrate(met_lower_task *task, size_t count, met_candidate *candidates);

/* The price of a candidate, or of a part of one, in the scale of its family. */
met_price met_lower_calibrated(const met_lower_task *task, const met_candidate *candidate, met_price price);

#endif
