#include "audit/share.h"

#include <math.h>
#include <stdio.h>

/* In units of 1/scale; shares lie within a few ulps of [0, 1]. */
static uint64_t units(double share, double scale)
{
    return share > 0 ? (uint64_t)floor(fmin(share, 1e6) * scale + 0.5) : 0;
}

void met_share_percent(met_text *out, double share, size_t width)
{
    char text[32];
    uint64_t tenths = units(share, 1000);
    int length = snprintf(text, sizeof text, "%llu.%llu%%", (unsigned long long)(tenths / 10), (unsigned long long)(tenths % 10));
    if (length > 0 && (size_t)length < width)
        met_text_repeat(out, ' ', width - (size_t)length);
    met_text_put(out, text);
}

void met_share_decimal(met_text *out, double share)
{
    uint64_t parts = units(share, 10000);
    met_text_format(out, "%llu.%04llu", (unsigned long long)(parts / 10000), (unsigned long long)(parts % 10000));
}

double met_share_rounded(double share)
{
    return (double)units(share, 10000) / 10000;
}
