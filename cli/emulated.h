/* What an emulated run says of its folds: which went as on the class, and which did not. */
#ifndef MET_CLI_EMULATED_H
#define MET_CLI_EMULATED_H

#include "cli/cli.h"
#include "host/subject.h"

/* Below the results. Nothing for a run that is not emulated. */
void cli_print_emulated(const met_outcome *outcome);
/* A note, for runs that print nothing, if a fold did not go as on the class. */
void cli_note_emulated(const cli_request *request, const met_outcome *outcome);

#endif
