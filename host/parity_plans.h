/* Two plans of one circuit compared by what is known of them, where at least one cannot run here; and the options and settings
 * that are tried to make them equal. */
#ifndef MET_HOST_PARITY_PLANS_H
#define MET_HOST_PARITY_PLANS_H

#include "host/subject.h"
#include "met/parity.h"

/* Both ways must have planners of whole ops (met_way_lowers). A class that is written for is known by its kernels' records, any
 * other by what its families declare. NULL with diagnostics: those of planning. */
const met_parity_report *met_subject_parity(const met_subject *subject, const met_way *a, const met_way *b);

#endif
