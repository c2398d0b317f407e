#include "base/str.h"

#include <string.h>

met_str met_str_of(const char *text)
{
    return (met_str){ text, text ? strlen(text) : 0 };
}

bool met_str_equal(met_str a, met_str b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.at, b.at, a.length) == 0);
}

bool met_str_is(met_str a, const char *text)
{
    return met_str_equal(a, met_str_of(text));
}

int met_str_compare(met_str a, met_str b)
{
    size_t shorter = a.length < b.length ? a.length : b.length;
    int order = shorter ? memcmp(a.at, b.at, shorter) : 0;
    if (order != 0)
        return order;
    return a.length < b.length ? -1 : a.length > b.length;
}
