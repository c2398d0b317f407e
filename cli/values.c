#include "cli/values.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const *cli_values(const cli_request *request, const char *name, size_t *ret_count)
{
    const char **values = met_session_alloc(request->session, request->value_count + 1, sizeof *values);
    size_t cursor = 0;
    *ret_count = 0;
    while ((values[*ret_count] = cli_next_value(request, name, &cursor)) != NULL)
        ++*ret_count;
    return values;
}

/* --- Numbers --- */

/* Digits alone: no sign and no blanks, which strtoull would take. */
static bool read_natural(const char *text, const char **ret_end, uint64_t *ret_n)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    *ret_end = end;
    *ret_n = n;
    return *text >= '0' && *text <= '9' && errno == 0;
}

bool cli_read_count_within(const cli_request *request, const char *name, uint64_t least, uint64_t most, uint64_t *ret_n)
{
    const char *text = cli_value(request, name), *end;
    uint64_t n;
    if (!text)
        return true;
    if (read_natural(text, &end, &n) && *end == 0 && n >= least && n <= most) {
        *ret_n = n;
        return true;
    }
    if (most < UINT64_MAX)
        cli_usage_error(request, "--%s takes a number from %" PRIu64 " to %" PRIu64 ", not `%s`", name, least, most, text);
    else if (least > 0)
        cli_usage_error(request, "--%s takes a number from %" PRIu64 ", not `%s`", name, least, text);
    else
        cli_usage_error(request, "--%s takes a natural number, not `%s`", name, text);
    return false;
}

bool cli_read_count(const cli_request *request, const char *name, uint64_t *ret_n)
{
    return cli_read_count_within(request, name, 0, UINT64_MAX, ret_n);
}

bool cli_read_threads(const cli_request *request, uint32_t *ret_n)
{
    uint64_t n = *ret_n;
    bool good = cli_read_count_within(request, "threads", 1, UINT32_MAX, &n);
    *ret_n = (uint32_t)n;
    return good;
}

bool cli_read_counts(const cli_request *request, const char *name, size_t room, uint64_t *ret_numbers, size_t *ret_count)
{
    const char *text = cli_value(request, name), *at = text, *end;
    if (!text)
        return true;
    for (*ret_count = 0; at; at = *end ? end + 1 : NULL) {
        uint64_t n;
        if (!read_natural(at, &end, &n) || n == 0 || (*end && *end != ',') || *ret_count == room) {
            cli_usage_error(request, "--%s takes up to %zu numbers from 1, with commas, not `%s`", name, room, text);
            return false;
        }
        ret_numbers[(*ret_count)++] = n;
    }
    return true;
}

bool cli_read_number(const cli_request *request, const char *name, double least, double most, const char *words, double *ret_x)
{
    const char *text = cli_value(request, name);
    char *end;
    if (!text)
        return true;
    double x = strtod(text, &end);
    if (end != text && *end == 0 && x >= least && x <= most) {
        *ret_x = x;
        return true;
    }
    cli_usage_error(request, "--%s takes %s, not `%s`", name, words, text);
    return false;
}

/* --- Words --- */

/* "a, b or c" */
static void list_words(char *list, size_t room, const char *const *words)
{
    size_t length = 0;
    for (size_t i = 0; words[i] && length < room; i++) {
        const char *before = i == 0 ? "" : words[i + 1] ? ", " : " or ";
        length += (size_t)snprintf(list + length, room - length, "%s%s", before, words[i]);
    }
}

bool cli_read_word(const cli_request *request, const char *name, const char *const *words, int *ret_number)
{
    const char *text = cli_value(request, name);
    char list[128];
    if (!text)
        return true;
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], text) == 0) {
            *ret_number = i;
            return true;
        }
    list_words(list, sizeof list, words);
    cli_usage_error(request, "--%s is %s, not `%s`", name, list, text);
    return false;
}

bool cli_ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}
