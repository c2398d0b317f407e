#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "met/diagnose.h"

static const cli_verb *const verbs[] = {
#define CLI_VERB(symbol) &symbol,
#include "cli/verbs.def"
#undef CLI_VERB
};

enum { VERBS = sizeof verbs / sizeof *verbs };

/* Of one noun, or of all. */
static int print_help(const char *noun)
{
    printf("met %s: models as string diagrams, typed, drawn and run\n\n", MET_VERSION);
    for (size_t i = 0; i < VERBS; i++)
        if (!noun || !strcmp(verbs[i]->noun, noun))
            cli_print_verb_line(verbs[i]);
    printf("\nCIRCUIT is a name under kernels/circuits, a file, an expression, or - for\n"
           "standard input. met NOUN VERB --help says more.\n"
           "Exit: 0 done, 1 a check failed, 2 bad input, 3 the environment.\n");
    return CLI_DONE;
}

static const cli_verb *find_verb(const char *noun, const char *verb)
{
    for (size_t i = 0; i < VERBS; i++)
        if (!strcmp(verbs[i]->noun, noun) && !strcmp(verbs[i]->verb, verb))
            return verbs[i];
    return NULL;
}

static bool is_noun(const char *text)
{
    for (size_t i = 0; i < VERBS; i++)
        if (!strcmp(verbs[i]->noun, text))
            return true;
    return false;
}

static bool is_help(const char *text)
{
    return !strcmp(text, "--help") || !strcmp(text, "-h") || !strcmp(text, "help");
}

/* Ends a run: standard output is written out, then the diagnostics are, and the session is freed. */
static int finish(met_session *session, bool json, int status)
{
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        char message[128];
        snprintf(message, sizeof message, "cannot write standard output%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
        met_diagnose(session, "file", message, NULL);
        status = CLI_ENVIRONMENT;
    }
    if (met_session_error_count(session) + met_session_warning_count(session) > 0)
        fputs(json ? met_session_diagnostics_json(session) : met_session_diagnostics_text(session), stderr);
    met_session_free(session);
    return status;
}

static int unknown_verb(met_session *session, int argc, char **argv)
{
    const char *names[VERBS];
    size_t count = 0;
    bool noun = argc > 1 && is_noun(argv[1]);
    char message[200], help[300] = "met --help lists all";
    for (size_t i = 0; i < VERBS; i++)
        if (!noun || !strcmp(verbs[i]->noun, argv[1]))
            names[count++] = noun ? verbs[i]->verb : verbs[i]->noun;
    const char *wrong = noun ? (argc > 2 ? argv[2] : "") : argc > 1 ? argv[1] : "";
    const char *near = met_did_you_mean(wrong, names, count);
    if (argc < 2)
        snprintf(message, sizeof message, "met is called as `met NOUN VERB`");
    else if (noun && argc < 3)
        snprintf(message, sizeof message, "`met %s` needs a verb", argv[1]);
    else
        snprintf(message, sizeof message, "there is no `met %s%s%.60s`", noun ? argv[1] : "", noun ? " " : "", wrong);
    if (near)
        snprintf(help, sizeof help, "did you mean `met %s%s%s`?", noun ? argv[1] : "", noun ? " " : "", near);
    else if (noun)
        snprintf(help, sizeof help, "met %s --help lists its verbs", argv[1]);
    met_diagnose(session, "usage", message, help);
    return CLI_BAD_INPUT;
}

static int run_verb(met_session *session, const cli_verb *verb, int argc, char **argv)
{
    cli_request request = { .session = session, .verb = verb };
    int status = CLI_BAD_INPUT;
    if (cli_parse(&request, argc, argv))
        status = cli_flag(&request, "help") ? cli_print_verb_help(verb) : verb->run(&request);
    return status;
}

static int run(met_session *session, int argc, char **argv)
{
    if (argc > 1 && is_help(argv[1]))
        return print_help(NULL);
    const cli_verb *alone = argc > 1 ? find_verb(argv[1], "") : NULL;
    if (alone)
        return run_verb(session, alone, argc - 1, argv + 1);
    if (argc > 2 && is_noun(argv[1]) && is_help(argv[2]))
        return print_help(argv[1]);
    if (argc > 1 && !strcmp(argv[1], "--version")) {
        printf("met %s\n", MET_VERSION);
        return CLI_DONE;
    }
    const cli_verb *verb = argc > 2 ? find_verb(argv[1], argv[2]) : NULL;
    return verb ? run_verb(session, verb, argc - 2, argv + 2) : unknown_verb(session, argc, argv);
}

int main(int argc, char **argv)
{
    /* Before parsing, which may fail: a program that asks for JSON gets its diagnostics as JSON too. */
    bool json = false;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        json = json || !strcmp(argv[i], "--json");
    /* A file that grows beyond the limit of the shell is a failed write, to be reported and cleaned up like the others. */
    signal(SIGXFSZ, SIG_IGN);
    met_session *session = met_session_new();
    return finish(session, json, run(session, argc, argv));
}
