/* Two plans beside each other, for met circuit diff. */
#ifndef MET_CLI_PLAN_PAIR_H
#define MET_CLI_PLAN_PAIR_H

#include "cli/cli.h"
#include "host/plan_pair.h"

void cli_print_plans(const met_plan_pair *pair);

/* The circuit with rows and context bound, if they are given; where it is only planned, as met circuit plan does without
 * them. NULL with diagnostics. */
met_circuit *cli_load_bound(const cli_request *request, const char *argument, bool planned);

#endif
