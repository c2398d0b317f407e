#include "cli/straight.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/values.h"
#include "host/file.h"
#include "met/straight.h"

enum { RANGES = 64 };

const cli_option cli_straight_options[] = {
    { "range", 0, "NAME=LO:HI", "of a straight-line program's argument, in place of its :pre" },
    { "rounded-inputs", 0, NULL, "arguments are real numbers that are rounded first" },
    { "box-only", 0, NULL, "of :pre, ranges of arguments alone" },
    { "ulps", 0, "X", "what library functions are taken to be within: 1" },
    { "work", 0, "N", "operations to look at for each bound: 1000000" },
    { 0 },
};

bool cli_is_straight(const char *argument)
{
    static const char beginning[] = "(FPCore";
    return strncmp(argument, beginning, sizeof beginning - 1) == 0 || cli_ends_with(argument, ".fpcore");
}

/* A finite number that ends before `end`. */
static bool read_number(const char *text, char end, const char **ret_rest, double *ret_value)
{
    char *rest;
    *ret_value = strtod(text, &rest);
    *ret_rest = rest;
    return rest != text && *rest == end && isfinite(*ret_value);
}

/* NAME=LO:HI */
static bool read_range(const cli_request *request, const char *value, met_straight_range *ret)
{
    const char *equals = strchr(value, '='), *rest;
    if (!equals || equals == value || !read_number(equals + 1, ':', &rest, &ret->lo) || !read_number(rest + 1, '\0', &rest, &ret->hi) ||
        ret->lo > ret->hi) {
        cli_usage_error(request, "--range takes NAME=LO:HI, such as x=0.5:2, not `%.60s`", value);
        return false;
    }
    char *name = met_session_alloc(request->session, (size_t)(equals - value) + 1, 1);
    memcpy(name, value, (size_t)(equals - value));
    ret->name = name;
    return true;
}

static bool read_options(const cli_request *request, met_straight_options *ret)
{
    met_straight_range *ranges = met_session_alloc(request->session, RANGES, sizeof *ranges);
    const char *value;
    *ret = (met_straight_options){ .rounded_inputs = cli_flag(request, "rounded-inputs"), .box_only = cli_flag(request, "box-only"),
                                   .ranges = ranges };
    for (size_t cursor = 0; (value = cli_next_value(request, "range", &cursor)) != NULL;) {
        if (ret->range_count == RANGES) {
            cli_usage_error(request, "up to %d ranges can be given", RANGES);
            return false;
        }
        if (!read_range(request, value, &ranges[ret->range_count++]))
            return false;
    }
    return cli_read_number(request, "ulps", 0.5, DBL_MAX, "a number of 0.5 or more", &ret->ulps) &&
           cli_read_count(request, "work", &ret->work);
}

int cli_straight(const cli_request *request, const char *argument)
{
    met_straight_options options;
    if (!read_options(request, &options))
        return CLI_BAD_INPUT;
    uint32_t source = *argument == '(' ? met_session_add_source(request->session, "<argument>", argument, strlen(argument))
                                       : met_file_source(request->session, argument);
    const char *text = NULL;
    if (source)
        text = cli_flag(request, "json") ? met_straight_json(request->session, source, &options)
                                         : met_straight_text(request->session, source, &options);
    return cli_answer(request, NULL, text);
}
