#include "draw/path.h"

#include <string.h>

static const struct {
    char command;
    int numbers;
} commands[] = { { 'M', 2 }, { 'L', 2 }, { 'H', 1 }, { 'V', 1 }, { 'C', 6 }, { 'Q', 4 }, { 'Z', 0 } };

static int numbers_of(char command)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (commands[i].command == command)
            return commands[i].numbers;
    return -1;
}

static size_t skip(met_str text, size_t at)
{
    while (at < text.length && strchr(" ,\t\n", text.at[at]) && text.at[at])
        at++;
    return at;
}

static bool is_digit(met_str text, size_t at)
{
    return at < text.length && text.at[at] >= '0' && text.at[at] <= '9';
}

/* A decimal from -0.5 to 1.5 with at most three places, in 1/1000. */
static bool read_number(met_str text, size_t *at, int32_t *ret_number)
{
    size_t i = skip(text, *at);
    bool negative = i < text.length && text.at[i] == '-';
    i += negative;
    int32_t value = 0;
    int digits = 0;
    for (; is_digit(text, i) && digits < 4; i++, digits++)
        value = value * 10 + (text.at[i] - '0');
    value *= 1000;
    if (i < text.length && text.at[i] == '.') {
        i++;
        for (int32_t unit = 100; is_digit(text, i) && unit > 0; unit /= 10, i++, digits++)
            value += unit * (text.at[i] - '0');
    }
    if (digits == 0 || is_digit(text, i) || value > 1500 || (negative && value > 500))
        return false;
    *at = i;
    *ret_number = negative ? -value : value;
    return true;
}

bool met_path_read(met_arena *arena, met_str text, met_path *ret_path, const char **ret_why)
{
    MET_VEC(met_path_step) steps = { 0 };
    *ret_path = (met_path){ 0 };
    for (size_t at = skip(text, 0); at < text.length; at = skip(text, at)) {
        met_path_step step = { .command = text.at[at++] };
        int numbers = numbers_of(step.command);
        *ret_why = "only the commands M L H V C Q Z are known, in capitals";
        if (numbers < 0)
            return false;
        *ret_why = "a path starts with M";
        if (steps.count == 0 && step.command != 'M')
            return false;
        *ret_why = "a coordinate is a decimal from -0.5 to 1.5 with at most three places";
        for (int i = 0; i < numbers; i++)
            if (!read_number(text, &at, &step.xy[i]))
                return false;
        *ret_why = "the path has too many steps";
        if (steps.count == MET_PATH_LIMIT)
            return false;
        MET_PUSH(arena, &steps, step);
    }
    ret_path->count = (uint32_t)steps.count;
    ret_path->steps = steps.at;
    *ret_why = NULL;
    return true;
}

static int32_t place(int32_t at, int32_t length, int32_t unit)
{
    if (at == 500)
        return length / 2;
    return at < 500 ? at * unit / 1000 : length - (1000 - at) * unit / 1000;
}

void met_path_print(met_text *out, const met_path *path, int32_t width, int32_t height)
{
    int32_t unit = width < height ? width : height;
    for (uint32_t i = 0; i < path->count; i++) {
        const met_path_step *step = &path->steps[i];
        met_text_char(out, step->command);
        int numbers = numbers_of(step->command);
        for (int n = 0; n < numbers; n++) {
            bool vertical = step->command == 'V' || (step->command != 'H' && n % 2 == 1);
            int32_t at = place(step->xy[n], vertical ? height : width, unit);
            met_text_format(out, n && at >= 0 ? " %d" : "%d", at);
        }
    }
}
