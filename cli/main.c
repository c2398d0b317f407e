#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"

static const cli_verb *const verbs[] = {
#define CLI_VERB(symbol) &symbol,
#include "cli/verbs.def"
#undef CLI_VERB
};

enum { VERBS = sizeof verbs / sizeof *verbs };

static void print_help(FILE *out)
{
    fprintf(out, "met %s: models as string diagrams, typed, drawn and run\n\n", MET_VERSION);
    for (size_t i = 0; i < VERBS; i++)
        fprintf(out, "  met %s %s %s\n      %s\n", verbs[i]->noun, verbs[i]->verb, verbs[i]->arguments, verbs[i]->summary);
    fprintf(out, "\nCIRCUIT is a name under kernels/circuits, a file, an expression, or - for standard input.\n"
                 "met NOUN VERB --help says more. Exit: 0 done, 1 a check failed, 2 bad input, 3 the environment.\n");
}

static const cli_verb *find_verb(const char *noun, const char *verb)
{
    for (size_t i = 0; i < VERBS; i++)
        if (!strcmp(verbs[i]->noun, noun) && !strcmp(verbs[i]->verb, verb))
            return verbs[i];
    return NULL;
}

static int unknown_verb(int argc, char **argv)
{
    fprintf(stderr, "error[usage]: there is no `met");
    for (int i = 1; i < argc && i < 3; i++)
        fprintf(stderr, " %.60s", argv[i]);
    fprintf(stderr, "`\n");
    for (size_t i = 0; i < VERBS; i++)
        if (argc > 1 && !strcmp(verbs[i]->noun, argv[1]))
            fprintf(stderr, "   = help: met %s %s\n", verbs[i]->noun, verbs[i]->verb);
    fprintf(stderr, "   = help: met --help lists all\n");
    return CLI_BAD_INPUT;
}

static int run_verb(const cli_verb *verb, int argc, char **argv)
{
    met_session *session = met_session_new();
    cli_request request = { .session = session, .verb = verb };
    int status;
    if (!cli_parse(&request, argc, argv))
        status = CLI_BAD_INPUT;
    else if (cli_flag(&request, "help"))
        status = cli_print_verb_help(verb);
    else
        status = verb->run(&request);
    const char *diagnostics = cli_flag(&request, "json") ? met_session_diagnostics_json(session) : met_session_diagnostics_text(session);
    bool any = met_session_error_count(session) + met_session_warning_count(session) > 0;
    if (any)
        fputs(diagnostics, stderr);
    met_session_free(session);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "error[file]: standard output cannot be written\n");
        return CLI_ENVIRONMENT;
    }
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "help") || !strcmp(argv[1], "-h")) {
        print_help(argc < 2 ? stderr : stdout);
        return argc < 2 ? CLI_BAD_INPUT : CLI_DONE;
    }
    if (!strcmp(argv[1], "--version")) {
        printf("met %s\n", MET_VERSION);
        return CLI_DONE;
    }
    const cli_verb *verb = argc > 2 ? find_verb(argv[1], argv[2]) : NULL;
    return verb ? run_verb(verb, argc - 2, argv + 2) : unknown_verb(argc, argv);
}
