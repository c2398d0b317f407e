/* What the verbs that draw have in common: their options, and where a picture goes. */
#ifndef MET_CLI_DRAWING_H
#define MET_CLI_DRAWING_H

#include "cli/cli.h"
#include "met/draw.h"

/* --output, --format, --ascii, --theme, --width */
extern const cli_option cli_drawing_options[];

/* Fills in what they say, but for the theme. False after a usage error. `ret_output` is NULL for standard output. */
bool cli_read_drawing(const cli_request *request, met_draw_options *options, const char **ret_output);
/* Loads the theme, if one was given; false with diagnostics. Rather after the circuit, whose mistakes matter more. */
bool cli_load_theme(const cli_request *request, met_draw_options *options);

#endif
