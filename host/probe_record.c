#include "host/probe_record.h"

#include "base/diag.h"
#include "base/json.h"

static const met_span nowhere;

/* Share of the memory that weights and caches may take: of no measurement, a convention. */
#define USABLE 0.9

enum { DIGITS = 4 };

static void put_bytes(met_text *text, uint64_t bytes)
{
    static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
    double value = (double)bytes;
    size_t unit = 0;
    for (; value >= 1024 && unit + 1 < sizeof units / sizeof *units; unit++)
        value /= 1024;
    met_text_double_digits(text, value, DIGITS);
    met_text_format(text, " %s", units[unit]);
}

/* "12.3 ±2%" in units of `scale`. */
static void put_figure(met_text *text, const met_figure *figure, double scale)
{
    if (figure->missing) {
        met_text_put(text, "none");
        return;
    }
    met_text_double_digits(text, figure->value / scale, DIGITS);
    met_text_format(text, " ±%d%%", (int)(100 * (figure->spread < 9 ? figure->spread : 9) + 0.5));
}

/* --- The record --- */

static void put_comment(met_text *text, const char *what, const char *unit, double scale, const met_figure_pair *pair, uint32_t cores)
{
    met_text_format(text, "# %s: ", what);
    if (pair->all.missing) {
        met_text_format(text, "none, %s\n", pair->all.missing);
        return;
    }
    put_figure(text, &pair->all, scale);
    met_text_format(text, " %s on %u core%s (%zu samples, median ", unit, (unsigned)cores, cores == 1 ? "" : "s",
                    pair->all.repeats);
    met_text_double_digits(text, pair->all.median / scale, DIGITS);
    met_text_char(text, ')');
    if (cores > 1) {
        met_text_put(text, ", ");
        put_figure(text, &pair->one, scale);
        met_text_put(text, " on one");
    }
    met_text_char(text, '\n');
}

static bool is_whole(met_session *session, const met_probe *probe)
{
    const met_figure *needed[] = { &probe->levels[probe->level_count - 1].read.all, &probe->fma_f32.all, &probe->launch.all };
    static const char *const names[] = { "the bandwidth of the memory", "the peak of multiply-adds", "the cost of a launch" };
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        if (!needed[i]->missing)
            continue;
        met_diag_add(session, MET_DIAG_run, nowhere, "%s could not be measured: %s", names[i], needed[i]->missing);
        return false;
    }
    return true;
}

/* Of all caches of the level that the cores have, as everything in a record is of the whole device. */
static uint64_t whole_capacity(const met_probe *probe, const met_probe_level *level)
{
    return level->capacity_bytes * ((probe->cores + level->shared_by - 1) / level->shared_by);
}

static void put_level(met_text *text, const met_probe *probe, const met_probe_level *level)
{
    met_text_format(text, "\n# %s, ", level->name);
    put_bytes(text, level->capacity_bytes);
    met_text_format(text, " for %u core%s; measured on ", (unsigned)level->shared_by, level->shared_by == 1 ? "" : "s");
    put_bytes(text, level->set_bytes);
    met_text_put(text, " in all\n");
    if (level->partly_cached)
        met_text_put(text, "# there was no memory for a larger set: some of it came from a cache\n");
    put_comment(text, "read", "GB/s", 1e9, &level->read, probe->cores);
    put_comment(text, "written", "GB/s", 1e9, &level->write, probe->cores);
    if (level->read.all.missing)
        return;
    met_text_format(text, "[[device.levels]]\nname = \"%s\"\ncapacity_bytes = %llu\nbytes_per_s = ", level->name,
                    (unsigned long long)whole_capacity(probe, level));
    met_text_double_digits(text, level->read.all.value, DIGITS);
    met_text_char(text, '\n');
}

static void put_head(met_text *text, const met_probe *probe)
{
    met_text_put(text, "# Measured by `met hw probe`; docs/evidence.md says how. Rates are of the quickest sample, times are medians. ± is the\n"
                       "# distance of the quartiles of the samples over their median: it says nothing of other days.\n\n[[device]]\nid = ");
    met_text_json_string(text, met_str_of(probe->id));
    met_text_put(text, "\nclass = ");
    met_text_json_string(text, met_str_of(probe->class_name));
    met_text_format(text, "\nunits = %u\n# that this process may use, and the share of it that is left for weights and caches, by convention\n"
                          "memory_bytes = %llu\nusable = ", (unsigned)probe->cores, (unsigned long long)probe->memory_bytes);
    met_text_double(text, USABLE);
    met_text_put(text, "\n");
    put_comment(text, "launch", "us", 1e-6, &probe->launch, probe->cores);
    met_text_put(text, "launch_s = ");
    met_text_double_digits(text, probe->launch.all.value, DIGITS);
    met_text_put(text, "\nsource = ");
    met_text source = met_text_new(text->arena);
    met_text_format(&source, "measured by met hw probe on %u pinned core%s of %s", (unsigned)probe->cores,
                    probe->cores == 1 ? "" : "s", probe->processor);
    met_text_json_string(text, met_str_of(met_text_done(&source)));
    met_text_format(text, "\n# energy: %s\n\n", probe->no_energy ? probe->no_energy : "a counter is there; met kernel bench reads it");
}

const char *met_probe_toml(met_session *session, const met_probe *probe)
{
    met_text text = met_text_new(session->arena);
    if (!is_whole(session, probe))
        return NULL;
    put_head(&text, probe);
    put_comment(&text, "multiply-add, f32", "GFLOP/s", 1e9, &probe->fma_f32, probe->cores);
    put_comment(&text, "dot product, bf16", "GFLOP/s", 1e9, &probe->dot_bf16, probe->cores);
    met_text_put(&text, "[device.peak]\nf32 = ");
    met_text_double_digits(&text, probe->fma_f32.all.value, DIGITS);
    if (!probe->dot_bf16.all.missing) {
        met_text_put(&text, "\nbf16 = ");
        met_text_double_digits(&text, probe->dot_bf16.all.value, DIGITS);
    }
    met_text_char(&text, '\n');
    for (uint32_t i = 0; i < probe->level_count; i++)
        put_level(&text, probe, &probe->levels[i]);
    return met_text_done(&text);
}

/* --- Doubts --- */

/* Distance of the quartiles over the median: of an idle machine it is a few percent. */
#define MOST_SPREAD 0.5

static void doubt(met_text *text, const char *what, const met_figure *figure)
{
    if (!figure->missing && figure->spread > MOST_SPREAD)
        met_text_format(text, "%s%s", text->length ? ", " : "", what);
}

/* Of a rate. */
static bool is_less(const met_figure *a, const met_figure *b)
{
    return !a->missing && !b->missing && a->value < b->value;
}

void met_probe_doubt(met_session *session, const met_probe *probe)
{
    met_text text = met_text_new(session->arena);
    const met_figure_pair *f32 = &probe->fma_f32, *bf16 = &probe->dot_bf16;
    for (uint32_t i = 0; i < probe->level_count; i++)
        doubt(&text, probe->levels[i].name, &probe->levels[i].read.all);
    doubt(&text, "f32", &f32->all);
    doubt(&text, "bf16", &bf16->all);
    doubt(&text, "launch", &probe->launch.all);
    bool slow = is_less(&bf16->all, &f32->all), alone = is_less(&f32->all, &f32->one) || is_less(&bf16->all, &bf16->one);
    if (text.length == 0 && !slow && !alone)
        return;
    met_diag *diag = met_diag_add(session, MET_DIAG_note, nowhere, "the machine was busy while it was probed: what it does may be more than the record says");
    if (text.length > 0)
        met_diag_note(diag, nowhere, "samples lie apart by more than half of their median: %s", met_text_done(&text));
    if (slow)
        met_diag_note(diag, nowhere, "bf16 is below f32, which the instructions are not");
    if (alone)
        met_diag_note(diag, nowhere, "all cores do less than one by itself");
    met_diag_help(diag, "probe again when nothing else runs, without --quick");
}

/* --- For people --- */

static const size_t widths[] = { 6, 11, 15, 15, 15, 15 };
enum { CELLS = sizeof widths / sizeof *widths };

/* Cells of a row; NULL ones are left out. No blanks at the end. */
static void put_cells(met_text *text, const char *const cells[CELLS])
{
    for (int c = 0; c < CELLS; c++) {
        size_t begin = text->length;
        if (!cells[c])
            continue;
        met_text_put(text, cells[c]);
        met_text_pad(text, begin, widths[c]);
    }
    while (text->length && text->at[text->length - 1] == ' ')
        text->at[--text->length] = 0;
    met_text_char(text, '\n');
}

static const char *bytes_text(met_arena *arena, uint64_t bytes)
{
    met_text text = met_text_new(arena);
    put_bytes(&text, bytes);
    return met_text_done(&text);
}

static const char *rate_text(met_arena *arena, const met_figure *figure)
{
    met_text text = met_text_new(arena);
    put_figure(&text, figure, 1e9);
    return met_text_done(&text);
}

static void put_levels(met_text *text, const met_probe *probe)
{
    met_arena *arena = text->arena;
    met_text title = met_text_new(arena);
    bool many = probe->cores > 1;
    met_text_format(&title, "GB/s read on %u", (unsigned)probe->cores);
    put_cells(text, (const char *const[CELLS]){ "level", "capacity", met_text_done(&title), many ? "on 1" : NULL,
                                                many ? "stored on all" : "stored", many ? "on 1" : NULL });
    for (uint32_t i = 0; i < probe->level_count; i++) {
        const met_probe_level *level = &probe->levels[i];
        put_cells(text, (const char *const[CELLS]){
            level->name, bytes_text(arena, level->capacity_bytes), rate_text(arena, &level->read.all),
            many ? rate_text(arena, &level->read.one) : NULL, rate_text(arena, &level->write.all),
            many ? rate_text(arena, &level->write.one) : NULL });
    }
}

static void put_line(met_text *text, const char *what, const char *unit, double scale, const met_figure_pair *pair, uint32_t cores)
{
    size_t begin = text->length;
    met_text_put(text, what);
    met_text_pad(text, begin, 17);
    if (pair->all.missing) {
        met_text_format(text, "none: %s\n", pair->all.missing);
        return;
    }
    put_figure(text, &pair->all, scale);
    met_text_format(text, " %s", unit);
    if (cores > 1) {
        met_text_format(text, " on %u cores, ", (unsigned)cores);
        put_figure(text, &pair->one, scale);
        met_text_put(text, " on 1");
    }
    met_text_char(text, '\n');
}

const char *met_probe_table(met_session *session, const met_probe *probe)
{
    met_text text = met_text_new(session->arena);
    met_text_format(&text, "%s, class %s\n%s, %u core%s, ", probe->id, probe->class_name, probe->processor,
                    (unsigned)probe->cores, probe->cores == 1 ? "" : "s");
    put_bytes(&text, probe->memory_bytes);
    met_text_put(&text, "; best rates, ± spread of samples\n\n");
    put_levels(&text, probe);
    if (probe->level_count == 1)
        met_text_put(&text, "the system does not say which caches there are: none was measured\n");
    if (probe->levels[probe->level_count - 1].partly_cached)
        met_text_put(&text, "there was no memory for a larger set: some of dram came from a cache\n");
    met_text_char(&text, '\n');
    put_line(&text, "multiply-add f32", "GFLOP/s", 1e9, &probe->fma_f32, probe->cores);
    put_line(&text, "dot bf16", "GFLOP/s", 1e9, &probe->dot_bf16, probe->cores);
    put_line(&text, "launch", "us", 1e-6, &probe->launch, probe->cores);
    met_text_format(&text, "energy           %s\n",
                    probe->no_energy ? "unavailable: no counter that this user may read" : "a counter is there: met kernel bench reads it");
    return met_text_done(&text);
}

/* --- JSON --- */

static void put_json_figure(met_json *json, const char *key, const met_figure *figure)
{
    met_json_open(json, key, '{');
    if (figure->missing) {
        met_json_put_null(json, "value");
        met_json_put_string(json, "missing", figure->missing);
    } else {
        met_json_put_number(json, "value", figure->value);
        met_json_put_number(json, "median", figure->median);
        met_text_double_digits(met_json_value(json, "spread"), figure->spread, DIGITS);
        met_json_put_integer(json, "samples", figure->repeats);
    }
    met_json_close(json, '}');
}

static void put_json_pair(met_json *json, const char *key, const met_figure_pair *pair)
{
    met_json_open(json, key, '{');
    put_json_figure(json, "all", &pair->all);
    put_json_figure(json, "one", &pair->one);
    met_json_close(json, '}');
}

static void put_json_level(met_json *json, const met_probe_level *level)
{
    static const met_json_field fields[] = {
        { "name", offsetof(met_probe_level, name), MET_JSON_STRING },
        { "capacity_bytes", offsetof(met_probe_level, capacity_bytes), MET_JSON_U64 },
        { "shared_by", offsetof(met_probe_level, shared_by), MET_JSON_U32 },
        { "set_bytes", offsetof(met_probe_level, set_bytes), MET_JSON_U64 },
        { "partly_cached", offsetof(met_probe_level, partly_cached), MET_JSON_FLAG },
        { 0 },
    };
    met_json_open(json, NULL, '{');
    met_json_put_fields(json, fields, level);
    put_json_pair(json, "read_bytes_per_s", &level->read);
    put_json_pair(json, "write_bytes_per_s", &level->write);
    met_json_close(json, '}');
}

const char *met_probe_json(met_session *session, const met_probe *probe)
{
    met_text text = met_text_new(session->arena);
    met_json json = met_json_new_compact(&text);
    met_json_open(&json, NULL, '{');
    met_json_put_string(&json, "id", probe->id);
    met_json_put_string(&json, "class", probe->class_name);
    met_json_put_string(&json, "processor", probe->processor);
    met_json_put_integer(&json, "cores", probe->cores);
    met_json_put_integer(&json, "memory_bytes", probe->memory_bytes);
    met_json_open(&json, "levels", '[');
    for (uint32_t i = 0; i < probe->level_count; i++)
        put_json_level(&json, &probe->levels[i]);
    met_json_close(&json, ']');
    put_json_pair(&json, "fma_f32_flops_per_s", &probe->fma_f32);
    put_json_pair(&json, "dot_bf16_flops_per_s", &probe->dot_bf16);
    put_json_pair(&json, "launch_s", &probe->launch);
    met_json_put_string(&json, "energy", probe->no_energy ? "unavailable" : "counter");
    met_json_close(&json, '}');
    return met_json_done(&json);
}
