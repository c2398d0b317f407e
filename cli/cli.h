/* The command: verbs as a table, one file per verb. It sees include/met and host/ only: whatever the command can do, a
 * program that links the library can do.
 *
 * Exit status: 0 done, 1 a check failed, 2 bad input (diagnostics on stderr), 3 the environment (a file, the disk). */
#ifndef MET_CLI_CLI_H
#define MET_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "met/circuit.h"

enum { CLI_DONE = 0, CLI_CHECK_FAILED = 1, CLI_BAD_INPUT = 2, CLI_ENVIRONMENT = 3 };

/* An option of a verb. `argument` names its value in the help; NULL for a flag. `letter` may be 0. */
typedef struct cli_option {
    const char *name;
    char letter;
    const char *argument;
    const char *help;
} cli_option;

/* A command line after parsing. Options may be given several times; values keep their order. */
typedef struct cli_request {
    met_session *session;
    const struct cli_verb *verb;
    const char **arguments; /* positional */
    size_t argument_count;
    struct cli_value {
        const cli_option *option;
        const char *value; /* NULL for a flag */
    } *values;
    size_t value_count;
} cli_request;

typedef struct cli_verb {
    const char *noun, *verb; /* the verb is "" where the noun is a command of its own */
    const char *arguments;   /* words: "CIRCUIT", "MODEL [OTHER]"; those in brackets may be left out */
    const char *instead;     /* a flag that stands in place of the arguments; NULL: there is none */
    const char *summary;
    const cli_option *const *options; /* NULL-terminated lists of options, each ended by a row without a name */
    int (*run)(const cli_request *request);
} cli_verb;

bool cli_flag(const cli_request *request, const char *name);
/* The last value given, or NULL. */
const char *cli_value(const cli_request *request, const char *name);
/* The values given, one after another: call with *cursor = 0 first; NULL at the end. */
const char *cli_next_value(const cli_request *request, const char *name, size_t *cursor);

/* An `usage` diagnostic about the command line. */
void cli_usage_error(const cli_request *request, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Options of every verb that takes a circuit: --set, --config, --dtype, --expand, --numerics, --kernels, --json … */
extern const cli_option cli_circuit_options[];
extern const cli_option cli_common_options[];

/* Reads the circuit that an argument says (a name under kernels/circuits, a file, an expression, or - for standard
 * input), with the request's --config and --set; expands it if --expand was given. NULL with diagnostics. */
met_circuit *cli_load_circuit(const cli_request *request, const char *argument);
/* Whether it names a model; that in another mode, the numbers of new and of cached tokens left free. NULL with diagnostics. */
bool cli_is_model(const cli_request *request, const char *argument);
met_circuit *cli_load_mode(const cli_request *request, const char *argument, const char *mode);

/* The status of a request that failed with diagnostics: the environment's fault or the input's. */
int cli_failed(const cli_request *request);

/* Writes what a verb says to a file; to standard output for NULL and "-". NULL text: it failed with diagnostics. Exit status. */
int cli_answer(const cli_request *request, const char *path, const char *text);
/* The same to standard output, of a verb that checks something: CLI_CHECK_FAILED if it is not good. */
int cli_answer_check(const cli_request *request, const char *text, bool good);

#define CLI_VERB(symbol) extern const cli_verb symbol;
#include "cli/verbs.def"
#undef CLI_VERB

#endif
