/* DEVICES.toml. */
#include "lkb/read.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* Flops and bytes a second: what all machines of the world together do not reach is a slip of the exponent. */
#define MOST_A_SECOND 1e21

static const char *const peak_names[MET_PEAK_COUNT] = { "f32", "bf16", "fp8", "nvfp4" };

static bool read_rate(met_lkb_reader *r, const met_value *table, const char *key, bool required, double *ret_rate)
{
    if (!met_lkb_number(r, table, key, required, 1, ret_rate))
        return false;
    return *ret_rate <= MOST_A_SECOND ||
           met_lkb_wrong(r, met_value_get(table, key)->place.span, "`%s` is beyond any device: at most 1e21 a second", key);
}

static bool read_level(met_lkb_reader *r, const met_value *table, met_device_level *level)
{
    static const char *const known[] = { "name", "capacity_bytes", "bytes_per_s" };
    if (!met_value_expect(r->session, table, MET_VALUE_TABLE, "a level"))
        return false;
    bool good = met_value_only(r->session, table, known, COUNT(known));
    good = met_lkb_id(r, table, "name", &level->name) && good;
    good = met_lkb_count(r, table, "capacity_bytes", true, 1, &level->capacity_bytes) && good;
    return read_rate(r, table, "bytes_per_s", true, &level->bytes_per_s) && good;
}

static bool read_levels(met_lkb_reader *r, const met_value *table, met_device *device)
{
    bool good = true;
    const met_value *list = met_lkb_field(r, table, "levels", true, MET_VALUE_LIST, &good);
    if (!list)
        return false;
    size_t count = list->items.count;
    if (count == 0 || count > 8) {
        met_diag_at(r->session, MET_DIAG_blueprint, &list->place, count ? "a device has at most 8 levels" : "a device has a level");
        return false;
    }
    met_device_level *levels = MET_NEW_ARRAY(r->arena, met_device_level, count);
    met_map *names = met_map_new(r->arena);
    met_span spans[8];
    for (uint32_t i = 0; i < count; i++)
        good = read_level(r, list->items.at[i], &levels[i]) &&
               met_lkb_new(r, names, "levels", levels[i].name, list->items.at[i]->place.span, spans, i) && good;
    device->level_count = (uint32_t)count;
    device->levels = levels;
    return good;
}

static bool read_peaks(met_lkb_reader *r, const met_value *table, met_device *device)
{
    bool good = true, any = false;
    const met_value *peaks = met_lkb_field(r, table, "peak", true, MET_VALUE_TABLE, &good);
    if (!peaks)
        return false;
    good = met_value_only(r->session, peaks, peak_names, MET_PEAK_COUNT);
    for (size_t i = 0; i < MET_PEAK_COUNT; i++) {
        good = read_rate(r, peaks, peak_names[i], false, &device->peak[i]) && good;
        any = any || device->peak[i] > 0;
    }
    return good && (any || met_lkb_wrong(r, peaks->place.span, "a device has a peak for some format"));
}

static bool read_energy(met_lkb_reader *r, const met_value *table, met_device *device)
{
    bool good = met_lkb_number(r, table, "joule_per_byte", false, 0, &device->joule_per_byte);
    good = met_lkb_number(r, table, "joule_per_flop", false, 0, &device->joule_per_flop) && good;
    good = met_lkb_text(r, table, "energy_source", false, &device->energy_source) && good;
    bool both = device->joule_per_byte > 0 && device->joule_per_flop > 0;
    bool any = device->joule_per_byte > 0 || device->joule_per_flop > 0 || device->energy_source;
    if (good && any && !(both && device->energy_source))
        return met_lkb_wrong(r, device->span, "a model of energy has joule_per_byte, joule_per_flop and energy_source, or none");
    return good;
}

/* The last level is the memory; those inside of it hold parts of it. */
static bool check_memory(met_lkb_reader *r, const met_value *table, const met_device *device)
{
    bool good = true;
    const met_value *levels = met_value_get(table, "levels");
    for (uint32_t l = 0; l + 1 < device->level_count; l++)
        if (device->levels[l].capacity_bytes > device->levels[device->level_count - 1].capacity_bytes)
            good = met_lkb_wrong(r, levels->items.at[l]->place.span, "the level `%s` holds more than the memory `%s`",
                                 device->levels[l].name, device->levels[device->level_count - 1].name);
        else if (device->memory_bytes > 0 && device->levels[l].capacity_bytes > device->memory_bytes)
            good = met_lkb_wrong(r, met_value_get(table, "memory_bytes")->place.span, "`memory_bytes` is less than the level `%s` holds",
                                 device->levels[l].name);
    return good;
}

static bool known_class(met_lkb_reader *r, const met_value *table, const char *id)
{
    const char **names = MET_NEW_ARRAY(r->arena, const char *, r->class_count);
    for (uint32_t i = 0; i < r->class_count; i++) {
        names[i] = r->classes[i].own.id;
        if (met_str_is(met_str_of(id), names[i]))
            return true;
    }
    return met_lkb_unknown(r, &met_value_get(table, "class")->place, "class", met_str_of(id), names, r->class_count);
}

static bool read_device(met_lkb_reader *r, const met_value *table, met_device *device)
{
    static const char *const known[] = { "id", "class", "levels", "peak", "launch_s", "units", "memory_bytes", "usable",
                                         "joule_per_byte", "joule_per_flop", "source", "energy_source" };
    uint64_t units = 0;
    device->span = table->place.span;
    bool good = met_value_only(r->session, table, known, COUNT(known));
    good = met_lkb_id(r, table, "id", &device->id) && good;
    good = met_lkb_id(r, table, "class", &device->class_id) && known_class(r, table, device->class_id) && good;
    bool has_levels = read_levels(r, table, device);
    good = has_levels && good;
    good = read_peaks(r, table, device) && good;
    good = met_lkb_number(r, table, "launch_s", true, 0, &device->launch_s) && good;
    good = met_lkb_count(r, table, "units", true, 1, &units) && good;
    good = met_lkb_count(r, table, "memory_bytes", true, 1, &device->memory_bytes) && good;
    good = met_lkb_number(r, table, "usable", true, 1e-3, &device->usable) && good;
    good = met_lkb_text(r, table, "source", true, &device->source) && good;
    good = read_energy(r, table, device) && good;
    good = (!has_levels || check_memory(r, table, device)) && good;
    if (device->usable > 1)
        good = met_lkb_wrong(r, met_value_get(table, "usable")->place.span, "`usable` is a share of the memory: at most 1");
    if (units > UINT32_MAX)
        good = met_lkb_wrong(r, met_value_get(table, "units")->place.span, "`units` is beyond what can be counted");
    device->units = (uint32_t)units;
    return good;
}

static bool is_new(met_lkb_reader *r, const met_device *device)
{
    for (size_t i = 0; i < r->devices.count; i++) {
        if (!met_str_is(met_str_of(device->id), r->devices.at[i].id))
            continue;
        met_diag *d = met_diag_add(r->session, MET_DIAG_duplicate_name, device->span, "there are two devices called `%s`", device->id);
        met_diag_note(d, r->devices.at[i].span, "the first is here");
        return false;
    }
    return true;
}

bool met_lkb_read_devices(met_lkb_reader *r, const met_value *file)
{
    static const char *const known[] = { "device" };
    if (!met_value_expect(r->session, file, MET_VALUE_TABLE, "a file of devices"))
        return false;
    bool good = met_value_only(r->session, file, known, 1);
    const met_value *list = met_lkb_tables(r, file, "device", &good);
    for (size_t i = 0; list && i < list->items.count; i++) {
        met_device device = { 0 };
        if (read_device(r, list->items.at[i], &device) && is_new(r, &device))
            MET_PUSH(r->arena, &r->devices, device);
        else
            good = false;
    }
    return good;
}
