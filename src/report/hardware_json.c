/* The blueprint as JSON; the fields are those of docs/blueprint.md. */
#include <math.h>

#include "base/json.h"
#include "report/hardware.h"

static void put_names(met_json *json, const char *key, const met_name_list *names)
{
    met_json_put_strings(json, key, names->count, names->names);
}

/* --- Devices --- */

/* Figures that do not exist are null, never 0. */
static void put_figure(met_json *json, const char *key, double value)
{
    met_json_put_number(json, key, value > 0 ? value : (double)NAN);
}

static void put_levels(met_json *json, const met_device *d)
{
    met_json_open(json, "levels", '[');
    for (uint32_t i = 0; i < d->level_count; i++) {
        met_json_open(json, NULL, '{');
        met_json_put_string(json, "name", d->levels[i].name);
        met_json_put_number(json, "capacity_bytes", (double)d->levels[i].capacity_bytes);
        met_json_put_number(json, "bytes_per_s", d->levels[i].bytes_per_s);
        met_json_close(json, '}');
    }
    met_json_close(json, ']');
}

static void put_device(met_json *json, const char *key, const met_device *d)
{
    static const char *const peaks[MET_PEAK_COUNT] = { "f32", "bf16", "fp8", "nvfp4" };
    met_json_open(json, key, '{');
    met_json_put_string(json, "id", d->id);
    met_json_put_string(json, "class", d->class_id);
    put_levels(json, d);
    met_json_open(json, "peak", '{');
    for (uint32_t p = 0; p < MET_PEAK_COUNT; p++)
        put_figure(json, peaks[p], d->peak[p]);
    met_json_close(json, '}');
    met_json_put_number(json, "launch_s", d->launch_s);
    met_json_put_number(json, "units", d->units);
    met_json_put_number(json, "memory_bytes", (double)d->memory_bytes);
    met_json_put_number(json, "usable", d->usable);
    put_figure(json, "joule_per_byte", d->joule_per_byte);
    put_figure(json, "joule_per_flop", d->joule_per_flop);
    met_json_put_string(json, "source", d->source);
    met_json_put_string(json, "energy_source", d->energy_source);
    met_json_close(json, '}');
}

/* --- Classes --- */

static void put_counts(met_json *json, const met_hardware *h)
{
    met_lkb_counts n = met_lkb_count_of(h);
    met_json_put_integer(json, "kernels", n.kernels);
    met_json_put_integer(json, "points", n.points);
    met_json_put_integer(json, "rules", n.rules);
    for (uint32_t t = 0; t < 3; t++)
        met_json_put_integer(json, met_tag_names[t], n.tags[t]);
}

static void put_families(met_json *json, const met_hardware *h)
{
    met_json_open(json, "families", '[');
    for (uint32_t f = 0; f < h->family_count; f++) {
        met_json_open(json, NULL, '{');
        met_json_put_string(json, "id", h->families[f]->id);
        met_json_put_string(json, "form", h->families[f]->form);
        met_json_put_integer(json, "points", h->families[f]->point_count);
        put_names(json, "kernels", &h->families[f]->kernels);
        met_json_close(json, '}');
    }
    met_json_close(json, ']');
}

static void put_class(met_json *json, const char *key, const met_hardware *h, bool whole)
{
    met_json_open(json, key, '{');
    met_json_put_string(json, "id", h->id);
    met_json_put_string(json, "inherits", h->parent);
    met_json_put_string(json, "realizes", h->class_name);
    met_json_put_string(json, "summary", h->summary);
    put_names(json, "capabilities", &h->capabilities);
    met_json_open(json, "settings", '{');
    for (uint32_t i = 0; i < h->default_count; i++)
        met_json_put_string(json, h->defaults[i].name, h->defaults[i].value);
    met_json_close(json, '}');
    met_json_open(json, "absent", '{');
    for (uint32_t i = 0; i < h->absence_count; i++)
        met_json_put_string(json, h->absences[i].kernel, h->absences[i].reason);
    met_json_close(json, '}');
    put_names(json, "residual", &h->residual);
    put_counts(json, h);
    if (whole)
        put_families(json, h);
    met_json_close(json, '}');
}

static const char *ended(met_json *json)
{
    met_json_close(json, '}');
    return met_json_done(json);
}

const char *met_hardware_list_json(const met_lkb *lkb)
{
    met_text out = met_text_new(lkb->session->arena);
    met_json json = met_json_new(&out);
    met_json_open(&json, NULL, '{');
    met_json_open(&json, "classes", '[');
    for (uint32_t i = 0; i < lkb->hardware_count; i++) {
        met_json_line(&json, 2);
        put_class(&json, NULL, &lkb->hardware[i], false);
    }
    met_json_close(&json, ']');
    met_json_line(&json, 1);
    met_json_open(&json, "devices", '[');
    for (uint32_t i = 0; i < lkb->device_count; i++) {
        met_json_line(&json, 2);
        put_device(&json, NULL, &lkb->devices[i]);
    }
    met_json_close(&json, ']');
    return ended(&json);
}

const char *met_hardware_show_json(const met_lkb *lkb, const char *name)
{
    const met_device *device;
    const met_hardware *hardware;
    if (!met_lkb_target(lkb, name, &device, &hardware))
        return NULL;
    met_text out = met_text_new(lkb->session->arena);
    met_json json = met_json_new(&out);
    met_json_open(&json, NULL, '{');
    if (device)
        put_device(&json, "device", device);
    else
        met_json_put_null(&json, "device");
    met_json_line(&json, 1);
    put_class(&json, "class", hardware, true);
    return ended(&json);
}

const char *met_lkb_summary_json(const met_lkb *lkb)
{
    met_text out = met_text_new(lkb->session->arena);
    met_json json = met_json_new(&out);
    met_json_open(&json, NULL, '{');
    met_json_put_string(&json, "digest", lkb->digest);
    met_json_put_integer(&json, "devices", lkb->device_count);
    met_json_put_integer(&json, "sites", lkb->site_count);
    met_json_open(&json, "classes", '[');
    for (uint32_t i = 0; i < lkb->hardware_count; i++) {
        met_json_open(&json, NULL, '{');
        met_json_put_string(&json, "id", lkb->hardware[i].id);
        met_json_put_integer(&json, "families", lkb->hardware[i].family_count);
        put_counts(&json, &lkb->hardware[i]);
        met_json_close(&json, '}');
    }
    met_json_close(&json, ']');
    return ended(&json);
}
