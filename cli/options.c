#include "cli/options.h"

#include <assert.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "host/model.h"
#include "met/diagnose.h"

enum { OPTIONS = 64, FIRST_CODE = 1000 };

/* A verb's options as one list. */
typedef struct option_list {
    const cli_option *at[OPTIONS];
    size_t count;
} option_list;

static option_list options_of(const cli_verb *verb)
{
    option_list list = { .count = 0 };
    for (const cli_option *const *group = verb->options; *group; group++)
        for (const cli_option *option = *group; option->name; option++) {
            assert(list.count < OPTIONS);
            list.at[list.count++] = option;
        }
    return list;
}

/* Between a noun and its verb, if it has one. */
static const char *gap(const cli_verb *verb)
{
    return *verb->verb ? " " : "";
}

void cli_usage_error(const cli_request *request, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    char help[128];
    snprintf(help, sizeof help, "met %s%s%s --help lists what it takes", request->verb->noun, gap(request->verb), request->verb->verb);
    met_diagnose(request->session, "usage", message, help);
}

static void add_value(cli_request *request, const cli_option *option, const char *value)
{
    request->values[request->value_count].option = option;
    request->values[request->value_count++].value = value;
}

/* Declares the options to getopt; letters go into `letters`. */
static void declare(const option_list *list, struct option *longs, char *letters)
{
    *letters++ = ':'; /* tell a missing value from an unknown option */
    for (size_t i = 0; i < list->count; i++) {
        const cli_option *option = list->at[i];
        longs[i] = (struct option){ option->name, option->argument ? required_argument : no_argument, NULL, FIRST_CODE + (int)i };
        if (!option->letter)
            continue;
        *letters++ = option->letter;
        if (option->argument)
            *letters++ = ':';
    }
    longs[list->count] = (struct option){ 0 };
    *letters = 0;
}

static const cli_option *option_of_code(const option_list *list, int code)
{
    for (size_t i = 0; i < list->count; i++)
        if (code == FIRST_CODE + (int)i || (list->at[i]->letter && code == list->at[i]->letter))
            return list->at[i];
    return NULL;
}

/* `--name…` or `--name=…` that no option is. */
static void unknown_name(const cli_request *request, const option_list *list, const char *argument)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(argument + 2, "="), argument + 2);
    const char *names[OPTIONS], *first = NULL, *second = NULL;
    for (size_t i = 0; i < list->count; i++) {
        names[i] = list->at[i]->name;
        if (*name && !strncmp(names[i], name, strlen(name))) {
            second = second ? second : first ? names[i] : NULL;
            first = first ? first : names[i];
        }
    }
    const char *near = met_did_you_mean(name, names, list->count);
    if (second)
        cli_usage_error(request, "`--%s` is short for `--%s` and for `--%s`", name, first, second);
    else if (near)
        cli_usage_error(request, "there is no option `--%s`: did you mean `--%s`?", name, near);
    else
        cli_usage_error(request, "there is no option `--%s`", name);
}

/* getopt_long returned '?': an unknown letter, a value for a flag, or an unknown name. */
static void refuse_option(const cli_request *request, const option_list *list, const char *argument)
{
    const cli_option *flag = optopt ? option_of_code(list, optopt) : NULL;
    if (flag)
        cli_usage_error(request, "`--%s` takes no value", flag->name);
    else if (optopt)
        cli_usage_error(request, "there is no option `-%c`; if this is an expression, write -- before it", optopt);
    else
        unknown_name(request, list, argument);
}

static bool parse_options(cli_request *request, int argc, char **argv)
{
    option_list list = options_of(request->verb);
    struct option longs[OPTIONS + 1];
    char letters[2 * OPTIONS + 2];
    declare(&list, longs, letters);
    opterr = 0;
    int code;
    while ((code = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
        const cli_option *option = option_of_code(&list, code == ':' ? optopt : code);
        if (code == ':' && option)
            cli_usage_error(request, "`--%s` needs a value: %s", option->name, option->argument);
        else if (!option)
            refuse_option(request, &list, argv[optind - 1]);
        if (code == ':' || !option)
            return false;
        add_value(request, option, option->argument ? optarg : NULL);
    }
    return true;
}

/* A configuration says which architecture it is for, but not on its own: the circuit is always named. */
static void refuse_too_few(const cli_request *request)
{
    const cli_verb *verb = request->verb;
    const char *config = cli_value(request, "config");
    const char *model = config ? met_model_of_config(request->session, cli_value(request, "kernels"), config) : NULL;
    if (model)
        cli_usage_error(request, "`met %s%s%s` needs %s: for this configuration, `%s`", verb->noun, gap(verb), verb->verb, verb->arguments, model);
    else if (config)
        cli_usage_error(request, "`met %s%s%s` needs %s: the architecture that --config is for", verb->noun, gap(verb), verb->verb, verb->arguments);
    else
        cli_usage_error(request, "`met %s%s%s` needs %s", verb->noun, gap(verb), verb->verb, verb->arguments);
}

/* Of the verb's arguments, how many there must be, and how many there may be. */
static void count_arguments(const cli_verb *verb, size_t *ret_least, size_t *ret_most)
{
    *ret_least = *ret_most = 0;
    for (const char *at = verb->arguments; *at;) {
        *ret_least += *at != '[';
        ++*ret_most;
        at += strcspn(at, " ");
        at += *at == ' ';
    }
}

/* False with a diagnostic. */
static bool count_is_right(const cli_request *request)
{
    const cli_verb *verb = request->verb;
    size_t count = request->argument_count, least, most;
    count_arguments(verb, &least, &most);
    bool instead = verb->instead && cli_flag(request, verb->instead);
    if (instead ? count == 0 : count >= least && count <= most)
        return true;
    if (instead)
        cli_usage_error(request, "`--%s` stands in place of %s: it takes none", verb->instead, verb->arguments);
    else if (count < least)
        refuse_too_few(request);
    else
        cli_usage_error(request, "`met %s%s%s` takes %s alone, and %zu arguments are given: quote an expression with blanks", verb->noun,
                        gap(verb), verb->verb, *verb->arguments ? verb->arguments : "options", count);
    return false;
}

bool cli_parse(cli_request *request, int argc, char **argv)
{
    request->values = met_session_alloc(request->session, (size_t)argc * 2 + 1, sizeof *request->values);
    request->arguments = met_session_alloc(request->session, (size_t)argc + 1, sizeof *request->arguments);
    if (!parse_options(request, argc, argv))
        return false;
    for (int i = optind; i < argc; i++)
        request->arguments[request->argument_count++] = argv[i];
    return cli_flag(request, "help") || count_is_right(request);
}

const char *cli_next_value(const cli_request *request, const char *name, size_t *cursor)
{
    while (*cursor < request->value_count) {
        const struct cli_value *value = &request->values[(*cursor)++];
        if (!strcmp(value->option->name, name))
            return value->value ? value->value : "";
    }
    return NULL;
}

const char *cli_value(const cli_request *request, const char *name)
{
    const char *last = NULL, *value;
    for (size_t cursor = 0; (value = cli_next_value(request, name, &cursor)) != NULL;)
        last = value;
    return last;
}

bool cli_flag(const cli_request *request, const char *name)
{
    return cli_value(request, name) != NULL;
}

/* --- Help --- */

enum { WIDTH = 80, LEFT = 27 };

/* Code points, which for what the help prints are columns. */
static int columns(const char *text, size_t length)
{
    int count = 0;
    for (size_t i = 0; i < length; i++)
        count += ((unsigned char)text[i] & 0xC0) != 0x80;
    return count;
}

void cli_print_wrapped(const char *text, int at, int left)
{
    for (bool first = true; *text; first = false) {
        size_t length = strcspn(text, " ");
        int width = columns(text, length);
        if (!first && at + 1 + width > WIDTH) {
            printf("\n%*s", left, "");
            at = left;
        } else if (!first) {
            printf(" ");
            at++;
        }
        printf("%.*s", (int)length, text);
        at += width;
        text += length + (text[length] == ' ');
    }
    printf("\n");
}

static void print_option(const cli_option *option)
{
    char left[80];
    snprintf(left, sizeof left, "  %s%c%s--%s%s%s", option->letter ? "-" : "", option->letter ? option->letter : ' ',
             option->letter ? ", " : "   ", option->name, option->argument ? " " : "", option->argument ? option->argument : "");
    int width = columns(left, strlen(left));
    if (width < LEFT)
        printf("%s%*s", left, LEFT - width, "");
    else
        printf("%s\n%*s", left, LEFT, "");
    cli_print_wrapped(option->help, LEFT, LEFT);
}

int cli_print_verb_help(const cli_verb *verb)
{
    printf("met %s%s%s%s%s\n\n  ", verb->noun, gap(verb), verb->verb, *verb->arguments ? " " : "", verb->arguments);
    cli_print_wrapped(verb->summary, 2, 2);
    printf("\n");
    option_list list = options_of(verb);
    for (size_t i = 0; i < list.count; i++)
        print_option(list.at[i]);
    if (!strcmp(verb->arguments, "CIRCUIT"))
        printf("\nCIRCUIT is a name under kernels/circuits, a file (.met, .json, .toml), an\n"
               "expression, or - for standard input.\n");
    return CLI_DONE;
}

void cli_print_verb_line(const cli_verb *verb)
{
    printf("  met %s%s%s%s%s\n      ", verb->noun, gap(verb), verb->verb, *verb->arguments ? " " : "", verb->arguments);
    cli_print_wrapped(verb->summary, 6, 6);
}
