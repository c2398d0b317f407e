/* The blueprint that a command line names: --kernels and --device-file. */
#ifndef MET_CLI_BLUEPRINT_H
#define MET_CLI_BLUEPRINT_H

#include "cli/cli.h"
#include "met/blueprint.h"

/* --device-file, for every verb that names hardware; --kernels for those that take no circuit (which have it already). */
extern const cli_option cli_device_options[];
extern const cli_option cli_kernels_options[];

/* NULL with diagnostics. */
const met_lkb *cli_load_blueprint(const cli_request *request);

#endif
