/* Traffic over a range of capacities: every kernel solved anew at each. */
#include <math.h>

#include "base/diag.h"
#include "base/json.h"
#include "draw/curve.h"
#include "report/cost.h"

enum { TABLE_POINTS = 400, PICTURE_STEPS = 120 };

typedef struct curve_data {
    uint32_t count;
    double *capacity;
    double *traffic[2]; /* by planner; NaN where a kernel does not fit */
} curve_data;

/* --- Capacities --- */

/* 1, 2 and 5 times powers of ten, or powers of two for bytes; the ends as well. */
static uint32_t table_points(const met_report_request *r, double *ret_points)
{
    static const double parts[] = { 1, 2, 5 };
    bool binary = r->view.measure == MET_COST_BYTES;
    uint32_t count = 0;
    ret_points[count++] = floor(r->range.from);
    for (int power = 0; power < 54 && count + 4 < TABLE_POINTS; power++)
        for (int k = 0; k < (binary ? 1 : 3); k++) {
            double at = binary ? ldexp(1, power) : power > 15 ? INFINITY : parts[k] * pow(10, power);
            if (at > ret_points[count - 1] && at < floor(r->range.to))
                ret_points[count++] = at;
        }
    ret_points[count++] = floor(r->range.to);
    return count;
}

/* Evenly in the logarithm. */
static uint32_t picture_points(const met_report_request *r, double *ret_points)
{
    double ratio = r->range.to / r->range.from;
    uint32_t count = 0;
    for (int i = 0; i <= PICTURE_STEPS; i++) {
        double at = floor(r->range.from * pow(ratio, (double)i / PICTURE_STEPS) + 0.5);
        if (count == 0 || at > ret_points[count - 1])
            ret_points[count++] = at;
    }
    return count;
}

/* --- Traffic --- */

static bool traffic_of(met_report *report, const met_report_plan *plan, double capacity, double *ret_traffic)
{
    double sum = 0;
    for (size_t i = 0; i < plan->kernels.count; i++) {
        const met_report_kernel *k = &plan->kernels.at[i];
        double traffic = met_report_traffic(report->session->arena, k, (uint64_t)capacity);
        if (isinf(traffic)) {
            met_report_beyond(report->session, k);
            return false;
        }
        sum += k->count * traffic;
    }
    *ret_traffic = sum;
    return true;
}

static met_report *read_report(const met_circuit *circuit, const met_cost_options *options, const char *range)
{
    met_report *report = MET_NEW(circuit->arena, met_report);
    met_report_request request;
    if (!met_report_request_read(circuit, options, range, &request) || !met_report_kernels_find(circuit, &request, report))
        return NULL;
    if (!report->bound_sizes) {
        met_diag *diag = met_diag_add(circuit->session, MET_DIAG_unbound, (met_span){ 0, 0, 0 }, "a curve needs sizes, and some are free");
        met_diag_help(diag, "bind them with --set");
        return NULL;
    }
    for (int p = 0; p < 2; p++)
        for (size_t i = 0; i < report->plans[p].kernels.count; i++) {
            const met_report_kernel *k = &report->plans[p].kernels.at[i];
            report->plans[p].floor += k->count * met_report_amount(k, (double)met_cost_compulsory(k->problem));
        }
    return report;
}

static bool sample(met_report *report, bool picture, curve_data *ret_data)
{
    met_arena *arena = report->session->arena;
    curve_data d = { 0, MET_NEW_ARRAY(arena, double, TABLE_POINTS), { NULL } };
    d.count = picture ? picture_points(&report->request, d.capacity) : table_points(&report->request, d.capacity);
    for (int p = 0; p < 2; p++) {
        d.traffic[p] = MET_NEW_ARRAY(arena, double, d.count);
        for (uint32_t i = 0; i < d.count; i++)
            if (!traffic_of(report, &report->plans[p], d.capacity[i], &d.traffic[p][i]))
                return false;
    }
    *ret_data = d;
    return true;
}

/* --- Printing --- */

static void put_cell(met_text *out, double number)
{
    met_text digits = met_text_new(out->arena);
    if (isnan(number))
        met_text_put(&digits, "-");
    else
        met_report_number(&digits, number);
    size_t columns = digits.length;
    met_text_repeat(out, ' ', columns < 18 ? 18 - columns : 1);
    met_text_put(out, met_text_done(&digits));
}

const char *met_cost_curve_table(const met_circuit *circuit, const met_cost_options *options, const char *range)
{
    met_report *report = read_report(circuit, options, range);
    curve_data d;
    if (!report || !sample(report, false, &d))
        return NULL;
    met_text out = met_text_new(circuit->arena);
    met_text_format(&out, "Traffic in %s against capacity:\n", met_report_unit(&report->request));
    met_text_format(&out, "%18s%18s%18s%18s\n", report->request.range.name, "unfused", "fused", "fused/unfused");
    for (uint32_t i = 0; i < d.count; i++) {
        put_cell(&out, d.capacity[i]);
        put_cell(&out, d.traffic[MET_PLANNER_NONE][i]);
        put_cell(&out, d.traffic[MET_PLANNER_FUSED][i]);
        double ratio = d.traffic[MET_PLANNER_FUSED][i] / d.traffic[MET_PLANNER_NONE][i];
        put_cell(&out, isnan(ratio) ? ratio : nearbyint(ratio * 1000) / 1000);
        met_text_char(&out, '\n');
    }
    met_text_format(&out, "%18s", "floor");
    put_cell(&out, report->plans[MET_PLANNER_NONE].floor);
    put_cell(&out, report->plans[MET_PLANNER_FUSED].floor);
    met_text_char(&out, '\n');
    return met_text_done(&out);
}

static void put_numbers(met_json *json, const char *key, uint32_t count, const double *numbers)
{
    met_json_line(json, 2);
    met_json_open(json, key, '[');
    for (uint32_t i = 0; i < count; i++)
        met_json_put_number(json, NULL, numbers[i]);
    met_json_close(json, ']');
}

const char *met_cost_curve_json(const met_circuit *circuit, const met_cost_options *options, const char *range)
{
    met_report *report = read_report(circuit, options, range);
    curve_data d;
    if (!report || !sample(report, false, &d))
        return NULL;
    met_text out = met_text_new(circuit->arena);
    met_json json = met_json_new(&out);
    met_json_open(&json, NULL, '{');
    met_json_line(&json, 2);
    met_json_put_string(&json, "unit", met_report_unit(&report->request));
    met_json_put_string(&json, "level", report->request.range.name);
    put_numbers(&json, "capacity", d.count, d.capacity);
    put_numbers(&json, "unfused", d.count, d.traffic[MET_PLANNER_NONE]);
    put_numbers(&json, "fused", d.count, d.traffic[MET_PLANNER_FUSED]);
    met_json_line(&json, 2);
    met_json_open(&json, "floor", '{');
    met_json_put_number(&json, "unfused", report->plans[MET_PLANNER_NONE].floor);
    met_json_put_number(&json, "fused", report->plans[MET_PLANNER_FUSED].floor);
    met_json_close(&json, '}');
    met_json_line(&json, 0);
    met_json_close(&json, '}');
    return met_json_done(&json);
}

/* A level line across the picture. */
static met_curve level_line(met_arena *arena, const curve_data *d, const char *name, double at)
{
    double *x = MET_NEW_ARRAY(arena, double, 2), *y = MET_NEW_ARRAY(arena, double, 2);
    x[0] = d->capacity[0];
    x[1] = d->capacity[d->count - 1];
    y[0] = y[1] = at;
    return (met_curve){ name, 2, x, y, true };
}

const char *met_cost_curve_svg(const met_circuit *circuit, const met_cost_options *options, const char *range, const met_value *theme)
{
    met_report *report = read_report(circuit, options, range);
    curve_data d;
    if (!report || !sample(report, true, &d))
        return NULL;
    bool bytes = report->request.view.measure == MET_COST_BYTES;
    met_text x_label = met_text_new(circuit->arena), y_label = met_text_new(circuit->arena);
    met_text_format(&x_label, "capacity %s, %s", report->request.range.name, met_report_unit(&report->request));
    met_text_format(&y_label, "%s moved", met_report_unit(&report->request));
    met_str name = met_sym_str(circuit->session, circuit->name);
    met_text title = met_text_new(circuit->arena);
    met_text_put(&title, "Traffic against capacity");
    if (name.length > 0 && !met_str_is(name, "main")) /* which is what nobody named */
        met_text_format(&title, ": %.*s", MET_STR_ARGS(name));
    double floor_at = report->plans[MET_PLANNER_FUSED].floor, other = report->plans[MET_PLANNER_NONE].floor;
    met_curve curves[4] = {
        { "fused", d.count, d.capacity, d.traffic[MET_PLANNER_FUSED], false },
        { "unfused", d.count, d.capacity, d.traffic[MET_PLANNER_NONE], false },
        level_line(circuit->arena, &d, "floor, fused", floor_at),
        level_line(circuit->arena, &d, "floor, unfused", other),
    };
    if (floor_at == other)
        curves[2].name = "floor";
    met_curve_plot plot = { met_text_done(&title), met_text_done(&x_label), met_text_done(&y_label), bytes, floor_at == other ? 3 : 4, curves };
    return met_curve_svg(circuit->session, &plot, theme);
}
