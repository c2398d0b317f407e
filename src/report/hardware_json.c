/* The blueprint as JSON; the fields are those of docs/blueprint.md. */
#include "report/hardware.h"

static void put_key(met_text *out, bool *first, const char *key)
{
    met_text_format(out, "%s\"%s\": ", *first ? "" : ", ", key);
    *first = false;
}

static void put_string(met_text *out, bool *first, const char *key, const char *value)
{
    put_key(out, first, key);
    if (value)
        met_text_json_string(out, met_str_of(value));
    else
        met_text_put(out, "null");
}

static void put_number(met_text *out, bool *first, const char *key, double value)
{
    put_key(out, first, key);
    met_text_double(out, value);
}

static void put_names(met_text *out, bool *first, const char *key, const met_name_list *names)
{
    put_key(out, first, key);
    met_text_char(out, '[');
    for (uint32_t i = 0; i < names->count; i++) {
        met_text_put(out, i ? ", " : "");
        met_text_json_string(out, met_str_of(names->names[i]));
    }
    met_text_char(out, ']');
}

/* --- Devices --- */

/* Figures that do not exist are null, never 0. */
static void put_figure(met_text *out, bool *first, const char *key, double value)
{
    if (value > 0)
        put_number(out, first, key, value);
    else
        put_string(out, first, key, NULL);
}

static void put_device(met_text *out, const met_device *d)
{
    static const char *const peaks[MET_PEAK_COUNT] = { "f32", "bf16", "fp8", "nvfp4" };
    bool first = true;
    met_text_char(out, '{');
    put_string(out, &first, "id", d->id);
    put_string(out, &first, "class", d->class_id);
    put_key(out, &first, "levels");
    for (uint32_t i = 0; i < d->level_count; i++) {
        bool inner = true;
        met_text_put(out, i ? ", {" : "[{");
        put_string(out, &inner, "name", d->levels[i].name);
        put_number(out, &inner, "capacity_bytes", (double)d->levels[i].capacity_bytes);
        put_number(out, &inner, "bytes_per_s", d->levels[i].bytes_per_s);
        met_text_char(out, '}');
    }
    met_text_char(out, ']');
    put_key(out, &first, "peak");
    met_text_char(out, '{');
    bool inner = true;
    for (uint32_t p = 0; p < MET_PEAK_COUNT; p++)
        put_figure(out, &inner, peaks[p], d->peak[p]);
    met_text_char(out, '}');
    put_number(out, &first, "launch_s", d->launch_s);
    put_number(out, &first, "units", d->units);
    put_number(out, &first, "memory_bytes", (double)d->memory_bytes);
    put_number(out, &first, "usable", d->usable);
    put_figure(out, &first, "joule_per_byte", d->joule_per_byte);
    put_figure(out, &first, "joule_per_flop", d->joule_per_flop);
    put_string(out, &first, "source", d->source);
    put_string(out, &first, "energy_source", d->energy_source);
    met_text_char(out, '}');
}

/* --- Classes --- */

static void put_counts(met_text *out, bool *first, const met_hardware *h)
{
    met_lkb_counts n = met_lkb_count_of(h);
    put_number(out, first, "kernels", n.kernels);
    put_number(out, first, "points", n.points);
    put_number(out, first, "rules", n.rules);
    for (uint32_t t = 0; t < 3; t++)
        put_number(out, first, met_tag_names[t], n.tags[t]);
}

static void put_families(met_text *out, bool *first, const met_hardware *h)
{
    put_key(out, first, "families");
    met_text_char(out, '[');
    for (uint32_t f = 0; f < h->family_count; f++) {
        bool inner = true;
        met_text_put(out, f ? ", {" : "{");
        put_string(out, &inner, "id", h->families[f]->id);
        put_string(out, &inner, "form", h->families[f]->form);
        put_number(out, &inner, "points", h->families[f]->point_count);
        put_names(out, &inner, "kernels", &h->families[f]->kernels);
        met_text_char(out, '}');
    }
    met_text_char(out, ']');
}

static void put_class(met_text *out, const met_hardware *h, bool whole)
{
    bool first = true;
    met_text_char(out, '{');
    put_string(out, &first, "id", h->id);
    put_string(out, &first, "inherits", h->parent);
    put_string(out, &first, "realizes", h->class_name);
    put_string(out, &first, "summary", h->summary);
    put_names(out, &first, "capabilities", &h->capabilities);
    put_key(out, &first, "settings");
    met_text_char(out, '{');
    bool inner = true;
    for (uint32_t i = 0; i < h->default_count; i++)
        put_string(out, &inner, h->defaults[i].name, h->defaults[i].value);
    met_text_char(out, '}');
    put_key(out, &first, "absent");
    met_text_char(out, '{');
    inner = true;
    for (uint32_t i = 0; i < h->absence_count; i++)
        put_string(out, &inner, h->absences[i].kernel, h->absences[i].reason);
    met_text_char(out, '}');
    put_names(out, &first, "residual", &h->residual);
    put_counts(out, &first, h);
    if (whole)
        put_families(out, &first, h);
    met_text_char(out, '}');
}

const char *met_hardware_list_json(const met_lkb *lkb)
{
    met_text out = met_text_new(lkb->session->arena);
    met_text_put(&out, "{\"classes\": [");
    for (uint32_t i = 0; i < lkb->hardware_count; i++) {
        met_text_put(&out, i ? ",\n  " : "\n  ");
        put_class(&out, &lkb->hardware[i], false);
    }
    met_text_put(&out, "],\n \"devices\": [");
    for (uint32_t i = 0; i < lkb->device_count; i++) {
        met_text_put(&out, i ? ",\n  " : "\n  ");
        put_device(&out, &lkb->devices[i]);
    }
    met_text_put(&out, "]}\n");
    return met_text_done(&out);
}

const char *met_hardware_show_json(const met_lkb *lkb, const char *name)
{
    const met_device *device;
    const met_hardware *hardware;
    if (!met_lkb_target(lkb, name, &device, &hardware))
        return NULL;
    met_text out = met_text_new(lkb->session->arena);
    met_text_put(&out, "{\"device\": ");
    if (device)
        put_device(&out, device);
    else
        met_text_put(&out, "null");
    met_text_put(&out, ",\n \"class\": ");
    put_class(&out, hardware, true);
    met_text_put(&out, "}\n");
    return met_text_done(&out);
}

const char *met_lkb_summary_json(const met_lkb *lkb)
{
    met_text out = met_text_new(lkb->session->arena);
    bool first = true;
    met_text_char(&out, '{');
    put_string(&out, &first, "digest", lkb->digest);
    put_number(&out, &first, "devices", lkb->device_count);
    put_number(&out, &first, "sites", lkb->site_count);
    put_key(&out, &first, "classes");
    met_text_char(&out, '[');
    for (uint32_t i = 0; i < lkb->hardware_count; i++) {
        bool inner = true;
        met_text_put(&out, i ? ", {" : "{");
        put_string(&out, &inner, "id", lkb->hardware[i].id);
        put_number(&out, &inner, "families", lkb->hardware[i].family_count);
        put_counts(&out, &inner, &lkb->hardware[i]);
        met_text_char(&out, '}');
    }
    met_text_put(&out, "]}\n");
    return met_text_done(&out);
}
