/* Command lines: getopt_long over a verb's option tables. */
#ifndef MET_CLI_OPTIONS_H
#define MET_CLI_OPTIONS_H

#include "cli/cli.h"

/* Fills in the arguments and option values. argv[0] is the verb. False with diagnostics. */
bool cli_parse(cli_request *request, int argc, char **argv);
int cli_print_verb_help(const cli_verb *verb);
/* How the verb is called and what it does, for the list of all verbs. */
void cli_print_verb_line(const cli_verb *verb);
/* Prints words from column `at` on, and further lines within 80 columns from column `left`; ends the line. */
void cli_print_wrapped(const char *text, int at, int left);

#endif
