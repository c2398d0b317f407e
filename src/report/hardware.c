/* The blueprint as text, within 80 columns. */
#include "report/hardware.h"

#include "report/wrap.h"

const char *const met_tag_names[3] = { "reference", "bit_identical", "differs" };

met_lkb_counts met_lkb_count_of(const met_hardware *hardware)
{
    met_lkb_counts n = { .families = hardware->family_count, .rules = hardware->rule_count };
    for (uint32_t f = 0; f < hardware->family_count; f++) {
        n.kernels += hardware->families[f]->kernels.count;
        n.points += hardware->families[f]->point_count;
    }
    for (uint32_t i = 0; i < hardware->rule_count; i++)
        n.tags[hardware->rules[i]->tag]++;
    return n;
}

/* --- Pieces --- */

static void put_column(met_text *out, const char *text, size_t width, bool right)
{
    size_t columns = met_columns(met_str_of(text)), room = columns < width ? width - columns : 0;
    met_text_repeat(out, ' ', right ? room : 0);
    met_text_put(out, text);
    met_text_repeat(out, ' ', right ? 0 : room);
}

static void put_count(met_text *out, uint64_t count, size_t width)
{
    met_text digits = met_text_new(out->arena);
    met_text_format(&digits, "%llu", (unsigned long long)count);
    put_column(out, met_text_done(&digits), width, true);
}

/* A figure in a unit, three or four digits; a dash for what does not exist. */
static const char *figure(met_arena *arena, double value, double unit)
{
    met_text digits = met_text_new(arena);
    if (value == 0)
        met_text_put(&digits, "-");
    else
        met_text_double_digits(&digits, value / unit, 5);
    return met_text_done(&digits);
}

static void put_figure(met_text *out, double value, double unit, size_t width)
{
    put_column(out, figure(out->arena, value, unit), width, true);
}

static void put_line(met_text *out, const char *label, const char *text)
{
    met_wrap w = met_wrap_start(out, 2, label);
    met_wrap_words(&w, text);
    met_text_char(out, '\n');
}

static void put_names(met_text *out, const char *label, const met_name_list *names)
{
    met_wrap w = met_wrap_start(out, 2, label);
    for (uint32_t i = 0; i < names->count; i++)
        met_wrap_word(&w, names->names[i]);
    if (names->count > 0)
        met_text_char(out, '\n');
    else
        met_text_put(out, "none\n");
}

/* --- The list --- */

static double outer_rate(const met_device *d)
{
    return d->levels[d->level_count - 1].bytes_per_s;
}

const char *met_hardware_list_text(const met_lkb *lkb)
{
    met_text out = met_text_new(lkb->session->arena);
    met_text_put(&out, "class        inherits     kernels        families  rules  points\n");
    for (uint32_t i = 0; i < lkb->hardware_count; i++) {
        const met_hardware *h = &lkb->hardware[i];
        put_column(&out, h->id, 13, false);
        put_column(&out, h->parent ? h->parent : "-", 13, false);
        put_column(&out, h->class_name ? "written here" : "declared", 13, false);
        put_count(&out, h->family_count, 10);
        put_count(&out, h->rule_count, 7);
        put_count(&out, met_lkb_count_of(h).points, 8);
        met_text_char(&out, '\n');
    }
    met_text_put(&out, "\ndevice             class           GB/s              TFLOP/s, dense             GiB\n"
                       "                                           f32    bf16     fp8   nvfp4\n");
    for (uint32_t i = 0; i < lkb->device_count; i++) {
        const met_device *d = &lkb->devices[i];
        put_column(&out, d->id, 19, false);
        put_column(&out, d->class_id, 12, false);
        put_figure(&out, outer_rate(d), 1e9, 8);
        for (uint32_t p = 0; p < MET_PEAK_COUNT; p++)
            put_figure(&out, d->peak[p], 1e12, 8);
        put_figure(&out, (double)d->memory_bytes, 1073741824.0, 8);
        met_text_char(&out, '\n');
    }
    return met_text_done(&out);
}

/* --- One of them --- */

static void put_levels(met_text *out, const met_device *d)
{
    for (uint32_t i = 0; i < d->level_count; i++) {
        met_text line = met_text_new(out->arena);
        met_text_format(&line, "%s ", d->levels[i].name);
        double kib = (double)d->levels[i].capacity_bytes / 1024.0;
        double unit = kib < 1024 ? 1 : kib < 4096 * 1024.0 ? 1024 : 1048576;
        met_text_format(&line, "%s %s in all, ", figure(out->arena, kib, unit), unit == 1 ? "KiB" : unit == 1024 ? "MiB" : "GiB");
        met_text_format(&line, "%s GB/s", figure(out->arena, d->levels[i].bytes_per_s, 1e9));
        put_line(out, i ? "             " : "levels       ", met_text_done(&line));
    }
}

static void put_device(met_text *out, const met_device *d)
{
    met_text_format(out, "device %s, of the class %s\n", d->id, d->class_id);
    put_levels(out, d);
    met_text peaks = met_text_new(out->arena);
    static const char *const names[MET_PEAK_COUNT] = { "f32", "bf16", "fp8", "nvfp4" };
    for (uint32_t p = 0; p < MET_PEAK_COUNT; p++)
        if (d->peak[p] > 0)
            met_text_format(&peaks, "%s %s, ", names[p], figure(out->arena, d->peak[p], 1e12));
    met_text_put(&peaks, "in TFLOP/s, dense");
    put_line(out, "peaks        ", met_text_done(&peaks));
    met_text rest = met_text_new(out->arena);
    met_text_format(&rest, "%s us; %u units; ", figure(out->arena, d->launch_s, 1e-6), d->units);
    met_text_format(&rest, "%s GiB, of which ", figure(out->arena, (double)d->memory_bytes, 1073741824.0));
    met_text_format(&rest, "%s%% are usable", figure(out->arena, d->usable, 0.01));
    put_line(out, "launch       ", met_text_done(&rest));
    met_text energy = met_text_new(out->arena);
    if (d->energy_source) {
        met_text_format(&energy, "%s pJ a byte, ", figure(out->arena, d->joule_per_byte, 1e-12));
        met_text_format(&energy, "%s pJ a flop; %s", figure(out->arena, d->joule_per_flop, 1e-12), d->energy_source);
    } else {
        met_text_put(&energy, "unavailable: nobody states figures");
    }
    put_line(out, "energy       ", met_text_done(&energy));
    put_line(out, "source       ", d->source);
    met_text_char(out, '\n');
}

static void put_families(met_text *out, const met_hardware *h)
{
    for (uint32_t f = 0; f < h->family_count; f++) {
        met_text label = met_text_new(out->arena);
        met_text_put(&label, f ? "             " : "families     ");
        met_wrap w = met_wrap_start(out, 2, met_text_done(&label));
        met_wrap_word(&w, h->families[f]->id);
        met_text points = met_text_new(out->arena);
        met_text_format(&points, "(%u points):", h->families[f]->point_count);
        met_wrap_words(&w, met_text_done(&points));
        for (uint32_t k = 0; k < h->families[f]->kernels.count; k++)
            met_wrap_word(&w, h->families[f]->kernels.names[k]);
        met_text_char(out, '\n');
    }
}

static void put_absent(met_text *out, const met_hardware *h)
{
    for (uint32_t i = 0; i < h->absence_count; i++) {
        met_text line = met_text_new(out->arena);
        met_text_format(&line, "%s: %s", h->absences[i].kernel, h->absences[i].reason);
        put_line(out, i ? "             " : "absent       ", met_text_done(&line));
    }
}

static void put_rules(met_text *out, const met_hardware *h)
{
    met_lkb_counts n = met_lkb_count_of(h);
    met_text line = met_text_new(out->arena);
    met_text_format(&line, "%u: %u equations (bit_identical), %u reference, %u that differ and have a lever", n.rules,
                    n.tags[MET_TAG_BIT_IDENTICAL], n.tags[MET_TAG_REFERENCE], n.tags[MET_TAG_DIFFERS]);
    put_line(out, "rules        ", met_text_done(&line));
}

static void put_class(met_text *out, const met_hardware *h)
{
    met_text_format(out, "class %s\n", h->id);
    put_line(out, "summary      ", h->summary);
    put_line(out, "inherits     ", h->parent ? h->parent : "nothing");
    put_line(out, "kernels      ", h->class_name ? "written, compiled and run here" : "declared, never measured: plans and costs only");
    put_names(out, "capabilities ", &h->capabilities);
    met_wrap w = met_wrap_start(out, 2, "settings     ");
    for (uint32_t i = 0; i < h->default_count; i++) {
        met_text one = met_text_new(out->arena);
        met_text_format(&one, "%s=%s", h->defaults[i].name, h->defaults[i].value);
        met_wrap_word(&w, met_text_done(&one));
    }
    met_text_char(out, '\n');
    put_families(out, h);
    put_absent(out, h);
    put_rules(out, h);
    if (h->residual.count > 0)
        put_names(out, "residual     ", &h->residual);
    if (h->matrix_units.count > 0)
        put_names(out, "matrix units ", &h->matrix_units);
}

const char *met_hardware_show_text(const met_lkb *lkb, const char *name)
{
    const met_device *device;
    const met_hardware *hardware;
    if (!met_lkb_target(lkb, name, &device, &hardware))
        return NULL;
    met_text out = met_text_new(lkb->session->arena);
    if (device)
        put_device(&out, device);
    put_class(&out, hardware);
    return met_text_done(&out);
}

/* --- The whole --- */

const char *met_lkb_summary_text(const met_lkb *lkb)
{
    met_text out = met_text_new(lkb->session->arena);
    met_text_format(&out, "blueprint %s\n", lkb->digest);
    met_text_format(&out, "%u devices, %u classes, %u trees, %u roles, %u settings, %u capabilities, %u sites\n\n", lkb->device_count,
                    lkb->hardware_count, lkb->tree_count, lkb->role_count, lkb->setting_count, lkb->capability_count, lkb->site_count);
    met_text_put(&out, "class         families  kernels  points  rules  equations  reference  differ\n");
    for (uint32_t i = 0; i < lkb->hardware_count; i++) {
        met_lkb_counts n = met_lkb_count_of(&lkb->hardware[i]);
        put_column(&out, lkb->hardware[i].id, 14, false);
        put_count(&out, n.families, 8);
        put_count(&out, n.kernels, 9);
        put_count(&out, n.points, 8);
        put_count(&out, n.rules, 7);
        put_count(&out, n.tags[MET_TAG_BIT_IDENTICAL], 11);
        put_count(&out, n.tags[MET_TAG_REFERENCE], 11);
        put_count(&out, n.tags[MET_TAG_DIFFERS], 8);
        met_text_char(&out, '\n');
    }
    return met_text_done(&out);
}
