#include "cli/drawing.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/values.h"
#include "host/theme.h"

const cli_option cli_drawing_options[] = {
    { "output", 'o', "FILE", "write there; .svg, .html or .txt says the form, - is standard output" },
    { "format", 0, "FORM", "svg, html, terminal or ascii" },
    { "ascii", 0, NULL, "the same as --format ascii" },
    { "theme", 0, "NAME", "paper (the default), blueprint, or a file" },
    { "width", 0, "N", "wrap beyond N px, or columns of text; 0 never wraps" },
    { 0 },
};

/* a.png, but not /dev/stdout, `.` or .hidden */
static bool has_ending(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return dot && dot != name;
}

/* A picture for a file, text for a terminal. */
static bool choose_format(const cli_request *request, const char *output, met_draw_format *ret_format)
{
    static const char *const names[] = { "svg", "html", "terminal", "ascii", NULL };
    int format = MET_DRAW_TERMINAL;
    bool told = cli_flag(request, "ascii") || cli_value(request, "format");
    if (output && (cli_ends_with(output, ".html") || cli_ends_with(output, ".htm"))) {
        format = MET_DRAW_HTML;
    } else if (output && cli_ends_with(output, ".svg")) {
        format = MET_DRAW_SVG;
    } else if (output && !told && has_ending(output) && !cli_ends_with(output, ".txt")) {
        cli_usage_error(request, "the ending of `%s` says no form: end it in .svg, .html or .txt, or give --format", output);
        return false;
    }
    if (!cli_read_word(request, "format", names, &format))
        return false;
    *ret_format = cli_flag(request, "ascii") ? MET_DRAW_ASCII : (met_draw_format)format;
    return true;
}

static bool choose_width(const cli_request *request, met_draw_options *options)
{
    const char *text = cli_value(request, "width");
    bool cells = options->format == MET_DRAW_TERMINAL || options->format == MET_DRAW_ASCII;
    const char *columns = getenv("COLUMNS");
    if (!text && !(cells && columns))
        return true;
    char *end;
    long width = strtol(text ? text : columns, &end, 10);
    if (*end == 0 && end != (text ? text : columns) && width >= 0 && width <= 100000) {
        options->width = width == 0 ? -1 : (int)width;
        return true;
    }
    if (!text) /* whatever the environment says, the default will do */
        return true;
    cli_usage_error(request, "`%s` is not a width from 0 to 100000", text);
    return false;
}

static bool wants_colour(const met_draw_options *options, const char *output)
{
    const char *refused = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    bool dumb = !terminal || strcmp(terminal, "dumb") == 0;
    return options->format == MET_DRAW_TERMINAL && !output && !(refused && *refused) && !dumb && isatty(STDOUT_FILENO);
}

bool cli_read_drawing(const cli_request *request, met_draw_options *options, const char **ret_output)
{
    const char *output = cli_value(request, "output");
    *ret_output = output && strcmp(output, "-") == 0 ? NULL : output;
    if (!choose_format(request, *ret_output, &options->format) || !choose_width(request, options))
        return false;
    options->colour = wants_colour(options, *ret_output);
    return true;
}

bool cli_load_theme(const cli_request *request, met_draw_options *options)
{
    const char *theme = cli_value(request, "theme");
    return !theme || (options->theme = met_theme_load(request->session, theme)) != NULL;
}
