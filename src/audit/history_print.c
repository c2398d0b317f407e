/* The history for people and programs. */
#include <string.h>

#include "audit/history.h"
#include "audit/share.h"

static const met_class_metrics *class_in(const met_history_version *version, const char *id)
{
    for (uint32_t c = 0; c < version->class_count; c++)
        if (!strcmp(version->classes[c].id, id))
            return &version->classes[c];
    return NULL;
}

/* A count, and how it differs from the version before. */
static void put_count(met_text *out, uint64_t now, bool has_old, uint64_t old, size_t width)
{
    size_t start = out->length;
    met_text_format(out, " %llu", (unsigned long long)now);
    if (has_old && now != old)
        met_text_format(out, now > old ? "+%llu" : "-%llu", (unsigned long long)(now > old ? now - old : old - now));
    met_text_pad(out, start, width);
}

static void put_class(met_text *out, const met_class_metrics *m, const met_class_metrics *old)
{
    size_t start = out->length;
    met_text_format(out, "  %.14s", m->id);
    met_text_pad(out, start, 17);
    put_count(out, m->families, old != NULL, old ? old->families : 0, 10);
    put_count(out, m->points, old != NULL, old ? old->points : 0, 10);
    put_count(out, m->own_kernels, old != NULL, old ? old->own_kernels : 0, 8);
    put_count(out, m->residual, old != NULL, old ? old->residual : 0, 6);
    put_count(out, m->equations, old != NULL, old ? old->equations : 0, 8);
    met_text_format(out, "of %-4llu", (unsigned long long)m->rules);
    met_share_percent(out, m->coverage, 7);
    met_share_percent(out, m->measured, 7);
    met_text_put(out, "\n");
}

void met_history_print(met_text *out, const met_history *history)
{
    for (uint32_t v = 0; v < history->version_count; v++) {
        const met_history_version *version = &history->versions[v];
        met_text_format(out, "%s  %.16s\n", version->date, version->digest);
        met_text_format(out, "  %-15s %-10s%-10s%-8s%-6s%-14s%7s%7s\n", "class", "families", "points", "kernels", "left", "equations",
                        "cover", "meas.");
        for (uint32_t c = 0; c < version->class_count; c++)
            put_class(out, &version->classes[c], v ? class_in(&history->versions[v - 1], version->classes[c].id) : NULL);
    }
    met_text_put(out, history->version_count ? "kernels: those that the parent class does not have; left: named residuals\n" :
                                               "no version has been recorded: met lkb history --append --date YYYY-MM-DD\n");
}

static void put_share(met_json *json, const char *key, double share)
{
    met_share_decimal(met_json_value(json, key), share);
}

static void put_json_class(met_json *json, const met_class_metrics *m)
{
    met_json_open(json, NULL, '{');
    met_json_put_string(json, "id", m->id);
    met_json_put_fields(json, met_class_counts, m);
    put_share(json, "coverage", m->coverage);
    put_share(json, "measured", m->measured);
    met_json_close(json, '}');
}

const char *met_history_json(met_arena *arena, const met_history *history)
{
    met_text out = met_text_new(arena);
    met_json json = met_json_new(&out);
    met_json_open(&json, NULL, '{');
    met_json_open(&json, "versions", '[');
    for (uint32_t v = 0; v < history->version_count; v++) {
        const met_history_version *version = &history->versions[v];
        met_json_open(&json, NULL, '{');
        met_json_put_string(&json, "date", version->date);
        met_json_put_string(&json, "digest", version->digest);
        met_json_open(&json, "classes", '[');
        for (uint32_t c = 0; c < version->class_count; c++)
            put_json_class(&json, &version->classes[c]);
        met_json_close(&json, ']');
        met_json_close(&json, '}');
    }
    met_json_close(&json, ']');
    met_json_close(&json, '}');
    return met_json_done(&json);
}
