/* What the verbs that run circuits have in common: the numerics point, the arrays, and the ways of running. */
#ifndef MET_CLI_RUN_OPTIONS_H
#define MET_CLI_RUN_OPTIONS_H

#include "cli/cli.h"
#include "host/subject.h"
#include "met/eval.h"

enum { CLI_ARRAYS = 256 /* given at most */ };

/* --dtype --tree --division --dot (with --numerics, which is of every circuit). */
extern const cli_option cli_point_options[];
/* --tree-a --dot-a --tree-b --dot-b: of one of two ways alone. */
extern const cli_option cli_side_point_options[];
/* --in --checkpoint --fill --seed --work-limit */
extern const cli_option cli_array_options[];

/* What these say; the texts are the command line's own. False with a diagnostic. */
bool cli_read_eval_options(const cli_request *request, met_eval_options *ret_options);

/* The arrays of --in, then the circuit's parameters from --checkpoint; they live as long as the session. Of two of one name the
 * first counts. NULL with diagnostics. */
typedef struct cli_given {
    size_t count;
    met_named_tensor *at;
} cli_given;
const cli_given *cli_read_given(const cli_request *request, const met_circuit *circuit);

/* --NAME-SIDE; NULL: it is not given. */
const char *cli_side_value(const cli_request *request, const char *name, char side);
#endif
