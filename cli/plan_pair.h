/* Two plans beside each other, for met circuit diff. */
#ifndef MET_CLI_PLAN_PAIR_H
#define MET_CLI_PLAN_PAIR_H

#include "host/plan_pair.h"

void cli_print_plans(const met_plan_pair *pair);
/* As "plans":{…}. */
void cli_print_plans_json(const met_plan_pair *pair);

#endif
