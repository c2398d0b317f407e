/* What a plan's groups share, as text of at most 80 columns and as JSON. */
#include <string.h>

#include "audit/report_parts.h"
#include "audit/share.h"
#include "base/json.h"

void met_report_cut(met_text *out, const char *text, size_t width)
{
    size_t start = out->length;
    if (strlen(text) <= width)
        met_text_put(out, text);
    else
        met_text_format(out, "%.*s..", (int)(width - 2), text);
    met_text_pad(out, start, width);
}

void met_report_end_line(met_text *out)
{
    while (out->length > 0 && out->at[out->length - 1] == ' ')
        out->length--;
    met_text_put(out, "\n");
}

/* Sites that say the same, such as those of a model's layers. */
static bool alike(const met_venn_site *a, const met_venn_site *b)
{
    bool ignored;
    if (a->sharing != b->sharing || a->family != b->family || a->nearest != b->nearest || a->placeholder != b->placeholder ||
        strcmp(a->ops, b->ops) != 0)
        return false;
    return !a->family || met_point_differences(a->family, a->values, b->values, &ignored) == 0;
}

static bool is_first(const met_venn *venn, uint32_t s)
{
    for (uint32_t k = 0; k < s; k++)
        if (alike(&venn->sites[k], &venn->sites[s]))
            return false;
    return true;
}

static void put_point(met_text *out, const char *before, const met_family *family, const char *const *values)
{
    met_text point = met_text_new(out->arena);
    met_text_put(&point, before);
    met_text_put(&point, "(");
    met_point_print(&point, family, values);
    met_text_put(&point, ")");
    met_text_repeat(out, ' ', 8);
    met_report_cut(out, met_text_done(&point), 72);
    met_report_end_line(out);
}

static void put_site(met_text *out, const met_venn *venn, uint32_t s)
{
    const met_venn_site *site = &venn->sites[s];
    uint32_t count = 0;
    double share = 0;
    for (uint32_t k = s; k < venn->site_count; k++) {
        bool same = alike(site, &venn->sites[k]);
        count += same;
        share += same ? venn->sites[k].share : 0;
    }
    met_text_format(out, "%6u  ", (unsigned)count);
    if (venn->priced)
        met_share_percent(out, share, 6);
    met_text_put(out, venn->priced ? "  " : "");
    met_report_cut(out, site->placeholder ? "no rule" : met_sharing_name(site->sharing), 18);
    met_report_cut(out, site->ops, venn->priced ? 46 : 54);
    met_report_end_line(out);
    if (!site->family)
        return;
    put_point(out, site->family->id, site->family, site->values);
    if (site->difference_count > 0 && site->nearest)
        put_point(out, site->model ? site->model : site->copy ? "declared, as a copy, " : "declared ", site->family, site->nearest);
}

void met_venn_print(met_text *out, const met_venn *venn, const char *name)
{
    met_text_format(out, "against %s: %u groups\n", name, (unsigned)venn->site_count);
    for (int sharing = MET_SHARED; sharing < MET_SHARINGS; sharing++) {
        if (venn->count[sharing] == 0)
            continue;
        met_text_format(out, "%6u  ", (unsigned)venn->count[sharing]);
        if (venn->priced)
            met_share_percent(out, venn->share[sharing], 6);
        met_text_format(out, "%s%s\n", venn->priced ? "  " : "", met_sharing_name((met_sharing)sharing));
    }
    if (venn->priced) {
        met_text_put(out, "coverage ");
        met_share_percent(out, venn->coverage, 6);
        met_text_put(out, ", measured ");
        met_share_percent(out, venn->measured, 6);
        met_text_put(out, "\n");
    }
    met_text_put(out, "\n");
    for (uint32_t s = 0; s < venn->site_count; s++)
        if (is_first(venn, s))
            put_site(out, venn, s);
}

/* --- JSON --- */

static void json_values(met_json *json, const char *key, const met_family *family, const char *const *values)
{
    met_json_open(json, key, '{');
    for (uint32_t p = 0; p < family->param_count; p++)
        if (values[p])
            met_json_put_string(json, family->params[p].name, values[p]);
    met_json_close(json, '}');
}

static void json_site(met_json *json, const met_venn *venn, const met_venn_site *site)
{
    met_json_open(json, NULL, '{');
    met_json_put_integer(json, "group", site->group);
    met_json_put_string(json, "class", met_sharing_name(site->sharing));
    met_json_put_string(json, "ops", site->ops);
    met_json_put_flag(json, "placeholder", site->placeholder);
    if (venn->priced)
        met_json_put_number(json, "share", site->share);
    if (site->family) {
        met_json_put_string(json, "family", site->family->id);
        json_values(json, "point", site->family, site->values);
        met_json_put_integer(json, "differences", site->difference_count);
    }
    if (site->nearest) {
        json_values(json, "nearest", site->family, site->nearest);
        met_json_put_string(json, "model", site->model ? site->model : "");
    }
    met_json_close(json, '}');
}

void met_venn_json(met_json *json, const met_venn *venn, const char *name)
{
    met_json_open(json, NULL, '{');
    met_json_put_string(json, "against", name);
    met_json_put_string(json, "class", venn->against->id);
    for (int sharing = MET_SHARED; sharing < MET_SHARINGS; sharing++) {
        met_json_open(json, met_sharing_name((met_sharing)sharing), '{');
        met_json_put_integer(json, "groups", venn->count[sharing]);
        if (venn->priced)
            met_json_put_number(json, "share", venn->share[sharing]);
        met_json_close(json, '}');
    }
    if (venn->priced) {
        met_json_put_number(json, "coverage", venn->coverage);
        met_json_put_number(json, "measured", venn->measured);
    }
    met_json_open(json, "sites", '[');
    for (uint32_t s = 0; s < venn->site_count; s++) {
        met_json_line(json, 2);
        json_site(json, venn, &venn->sites[s]);
    }
    met_json_close(json, ']');
    met_json_close(json, '}');
}
