/* Bounds of straight-line programs for `met budget`: FPCore files. */
#ifndef MET_CLI_STRAIGHT_H
#define MET_CLI_STRAIGHT_H

#include "cli/cli.h"

/* --range --rounded-inputs --box-only --ulps --work */
extern const cli_option cli_straight_options[];

/* Whether an argument is such a program: a file called *.fpcore, or a text that begins with (FPCore. */
bool cli_is_straight(const char *argument);

/* Prints the bounds of its programs. Exit status. */
int cli_straight(const cli_request *request, const char *argument);

#endif
