/* Options of the report, read. */
#include <math.h>
#include <string.h>

#include "base/diag.h"
#include "ir/names.h"
#include "realize/class.h"
#include "report/cost.h"

static const met_span nowhere = { 0, 0, 0 };

static bool refuse(met_session *session, const char *what, met_str text, const char *help)
{
    met_diag *diag = met_diag_add(session, MET_DIAG_cost, nowhere, "`%.*s` is not %s", MET_STR_ARGS(text), what);
    met_diag_help(diag, "%s", help);
    return false;
}

/* The part up to `separator` or the end; the rest stays in `text`. */
static met_str take(met_str *text, char separator)
{
    met_str part = { text->at, 0 };
    while (part.length < text->length && text->at[part.length] != separator)
        part.length++;
    size_t used = part.length + (part.length < text->length);
    *text = (met_str){ text->at + used, text->length - used };
    return part;
}

/* --- Capacities --- */

typedef struct suffix {
    const char *text;
    double factor;
} suffix;

static const suffix suffixes[] = { { "KiB", 1024 }, { "MiB", 1048576 }, { "GiB", 1073741824 }, { "B", 1 } };

/* A number with or without a suffix of bytes. */
static bool read_capacity(met_str text, double *ret_number, met_cost_measure *ret_measure)
{
    double factor = 1;
    *ret_measure = MET_COST_VALUES;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t length = strlen(suffixes[i].text);
        if (text.length <= length || memcmp(text.at + text.length - length, suffixes[i].text, length) != 0)
            continue;
        text.length -= length;
        factor = suffixes[i].factor;
        *ret_measure = MET_COST_BYTES;
        break;
    }
    if (!met_read_double(text, ret_number))
        return false;
    *ret_number *= factor;
    return *ret_number >= 1 && *ret_number <= 0x1p53;
}

static const char levels_help[] = "write NAME=SIZE, the outermost level first: M=16384 in values, or L2=1MiB,L1=32KiB in bytes";

static bool add_level(met_session *session, met_report_request *r, met_str text)
{
    met_str rest = text, name = take(&rest, '=');
    double capacity;
    met_cost_measure measure;
    if (!met_name_valid(name) || name.length > 8 || !read_capacity(rest, &capacity, &measure) || capacity != floor(capacity))
        return refuse(session, "a level of memory", text, levels_help);
    if (r->level_count == MET_REPORT_LEVELS)
        return refuse(session, "one of the first 8 levels", text, levels_help);
    if (r->level_count > 0 && measure != r->view.measure)
        return refuse(session, "measured like the level before it", text, "give all levels in values, or all in bytes");
    if (r->level_count > 0 && (uint64_t)capacity > r->levels[r->level_count - 1].capacity)
        return refuse(session, "smaller than the level outside it", text, levels_help);
    r->view.measure = measure;
    const char *copy = met_arena_text(session->arena, name.at, name.length);
    r->levels[r->level_count++] = (met_report_level){ copy, (uint64_t)capacity };
    return true;
}

static bool read_levels(met_session *session, const char *text, met_report_request *r)
{
    met_str rest = met_str_of(text);
    do {
        if (!add_level(session, r, take(&rest, ',')))
            return false;
    } while (rest.length > 0);
    return true;
}

static bool read_hardware(met_session *session, const char *name, met_report_request *r)
{
    const met_class *class = met_class_find(name);
    if (!class) {
        met_diag *diag = met_diag_add(session, MET_DIAG_cost, nowhere, "there is no hardware class `%s`", name);
        met_text list = met_text_new(session->arena);
        for (size_t i = 0; i < met_class_count; i++)
            met_text_format(&list, "%s%s", i ? ", " : "", met_class_table[i].name);
        met_diag_help(diag, "classes are: %s; of a device, met circuit plan says the costs, or give its --levels", met_text_done(&list));
        return false;
    }
    r->view.measure = MET_COST_BYTES;
    r->level_count = 2;
    r->levels[0] = (met_report_level){ "L2", class->l2_bytes };
    r->levels[1] = (met_report_level){ "L1", class->l1_bytes };
    return true;
}

static bool read_range(met_session *session, const char *text, met_report_request *r)
{
    met_str whole = met_str_of(text), rest = whole, name = take(&rest, '=');
    met_cost_measure from, to;
    size_t dots = 0;
    while (dots + 2 <= rest.length && memcmp(rest.at + dots, "..", 2) != 0)
        dots++;
    met_str low = { rest.at, dots }, high = { rest.at + dots + 2, rest.length > dots + 2 ? rest.length - dots - 2 : 0 };
    bool good = met_name_valid(name) && name.length <= 8 && dots + 2 < rest.length && read_capacity(low, &r->range.from, &from) &&
                read_capacity(high, &r->range.to, &to) && from == to && r->range.from < r->range.to;
    if (!good)
        return refuse(session, "a range of capacities", whole, "write NAME=FROM..TO: M=1e3..1e7 in values, L2=16KiB..64MiB in bytes");
    r->range.name = met_arena_text(session->arena, name.at, name.length);
    r->view.measure = from;
    return true;
}

/* --- The rest --- */

static bool read_granules(met_session *session, const char *text, met_report_request *r)
{
    met_str rest = met_str_of(text);
    MET_VEC(met_cost_granule) granules = { 0 };
    do {
        met_str part = take(&rest, ','), number = part, name = take(&number, '=');
        double granule;
        if (name.length == 0 || !met_read_double(number, &granule) || granule < 1 || granule > 0x1p32 || granule != floor(granule))
            return refuse(session, "a granule", part, "write tile=N for groups, stream=N for streams, or NAME=N for a loop");
        MET_PUSH(session->arena, &granules, ((met_cost_granule){ name, (uint64_t)granule }));
    } while (rest.length > 0);
    r->view.granule_count = (uint32_t)granules.count;
    r->view.granules = granules.at;
    return true;
}

/* Sets *ret_second to whether the word is the second of two; the first is the default. */
static bool read_choice(met_session *session, const char *what, const char *text, const char *first, const char *second,
                        bool *ret_second)
{
    *ret_second = text && strcmp(text, second) == 0;
    if (!text || *ret_second || strcmp(text, first) == 0)
        return true;
    met_text help = met_text_new(session->arena);
    met_text_format(&help, "there are %s and %s", first, second);
    return refuse(session, what, met_str_of(text), met_text_done(&help));
}

static bool read_planner(met_session *session, const char *text, met_report_request *r)
{
    met_planner planner;
    r->listed[MET_PLANNER_NONE] = r->listed[MET_PLANNER_FUSED] = true;
    if (!text)
        return true;
    if (!met_planner_find(met_str_of(text), &planner) || planner == MET_PLANNER_WHOLE)
        return refuse(session, "a planner", met_str_of(text), "there are none and fused");
    r->listed[MET_PLANNER_NONE] = planner == MET_PLANNER_NONE;
    r->listed[MET_PLANNER_FUSED] = planner == MET_PLANNER_FUSED;
    return true;
}

static bool read_dtype(met_session *session, const char *text, met_report_request *r)
{
    met_format format = met_format_of(MET_F32);
    if (text && (!met_format_parse(met_str_of(text), &format) || !met_format_is_float(format)))
        return refuse(session, "a dtype of floating-point values", met_str_of(text), "there are f64, f32, bf16 and f16");
    r->point = met_point_of((met_dtype)format.dtype);
    return true;
}

static bool read_division(met_session *session, const char *text, met_report_request *r)
{
    static const char *const words[] = { "default", "deferred", "eager" }; /* as in met_division */
    for (int i = 0; i < 3; i++)
        if (!text || strcmp(text, words[i]) == 0) {
            r->point.division = (met_division)i;
            return true;
        }
    return refuse(session, "a place of divisions", met_str_of(text), "there are default, deferred and eager");
}

bool met_report_request_read(const met_circuit *circuit, const met_cost_options *options, const char *range,
                             met_report_request *ret_request)
{
    met_session *session = circuit->session;
    met_cost_options none = { 0 };
    const met_cost_options *o = options ? options : &none;
    met_report_request r = { .level_count = 0 };
    bool tiles;
    if ((o->levels && o->hardware) || (range && (o->levels || o->hardware))) {
        met_diag_add(session, MET_DIAG_cost, nowhere, "levels are given twice: by --levels, --hardware or --curve, one of them");
        return false;
    }
    bool good = (!o->levels || read_levels(session, o->levels, &r)) && (!o->hardware || read_hardware(session, o->hardware, &r)) &&
                (!range || read_range(session, range, &r)) && (!o->granules || read_granules(session, o->granules, &r)) &&
                read_choice(session, "a liveness", o->liveness, "full", "tiles", &tiles) &&
                read_choice(session, "a way to nest tiles", o->nesting, "fit", "divide", &r.nesting.divide) &&
                read_planner(session, o->planner, &r) && read_dtype(session, o->dtype, &r) &&
                read_division(session, o->division, &r);
    r.view.liveness = good && tiles ? MET_LIVENESS_TILES : MET_LIVENESS_FULL;
    *ret_request = r;
    return good;
}
