#include "host/bench_report.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/session.h"

enum { WIDTH = 80, DIGITS = 4 };

/* "12.30 us": one unit for a whole column. */
static void put_time(met_text *text, double seconds)
{
    met_text_format(text, "%9.2f us", 1e6 * seconds);
}

static void put_spread(met_text *text, const met_sample *sample)
{
    met_text_format(text, " ±%3d%%", (int)(100 * (sample->spread < 9.99 ? sample->spread : 9.99) + 0.5));
}

/* Words from column `left` on, on further lines too. */
static void put_words(met_text *text, const char *words, size_t left)
{
    for (size_t column = left; *words;) {
        size_t length = strcspn(words, " ");
        if (column > left && column + 1 + length > WIDTH) {
            met_text_char(text, '\n');
            met_text_repeat(text, ' ', left);
            column = left;
        } else if (column > left) {
            met_text_char(text, ' ');
            column++;
        }
        met_text_format(text, "%.*s", (int)length, words);
        column += length;
        words += length + (words[length] == ' ');
    }
}

static void put_kernel(met_text *text, size_t number, const met_bench_kernel *kernel)
{
    size_t begin = text->length;
    met_text_format(text, "%4zu %5u  ", number, (unsigned)kernel->count);
    put_time(text, kernel->warm.median);
    put_spread(text, &kernel->warm);
    met_text_put(text, "  ");
    if (kernel->has_cold) {
        put_time(text, kernel->cold.median);
        put_spread(text, &kernel->cold);
    } else {
        met_text_put(text, "              none");
    }
    met_text_put(text, "  ");
    put_words(text, kernel->of, met_columns((met_str){ text->at + begin, text->length - begin }));
    met_text_char(text, '\n');
}

static size_t samples_of(const met_bench *bench)
{
    size_t most = 0;
    for (size_t k = 0; k < bench->kernel_count; k++)
        most = bench->kernels[k].warm.repeats > most ? bench->kernels[k].warm.repeats : most;
    return most;
}

static void put_totals(met_text *text, const met_bench *bench)
{
    uint32_t kernels = 0;
    for (size_t k = 0; k < bench->kernel_count; k++)
        kernels += bench->kernels[k].count;
    met_text_format(text, "%10u  ", (unsigned)kernels);
    put_time(text, bench->warm_s);
    met_text_put(text, "        ");
    if (bench->kernels[0].has_cold)
        put_time(text, bench->cold_s);
    met_text_put(text, bench->kernels[0].has_cold ? "        in all\n" : "              none  in all\n");
}

static void put_energy(met_text *text, const met_bench *bench)
{
    double joules = 0;
    for (size_t k = 0; k < bench->kernel_count; k++)
        joules += bench->kernels[k].joules * bench->kernels[k].count;
    met_text_put(text, "energy: ");
    if (bench->no_energy || joules == 0) {
        met_text_format(text, "unavailable: %s\n", bench->no_energy ? bench->no_energy : "the counter did not move");
        return;
    }
    met_text_double_digits(text, joules, DIGITS);
    met_text_put(text, " J measured, of the whole package, for a warm run\n");
}

const char *met_bench_table(met_session *session, const met_bench *bench)
{
    met_text text = met_text_new(session->arena);
    met_text_format(&text, "%s, %u thread%s%s, rows %llu\nmedians of up to %zu runs ± distance of quartiles\n", bench->name,
                    (unsigned)bench->threads, bench->threads == 1 ? "" : "s", bench->pinned ? " pinned" : "",
                    (unsigned long long)bench->rows, samples_of(bench));
    met_text_put(&text, "   # times          warm               cold        of\n");
    for (size_t k = 0; k < bench->kernel_count; k++)
        put_kernel(&text, k, &bench->kernels[k]);
    put_totals(&text, bench);
    put_energy(&text, bench);
    return met_text_done(&text);
}

/* --- JSON --- */

static void put_json_sample(met_json *json, const char *key, const met_sample *sample)
{
    met_json_open(json, key, '{');
    met_json_put_number(json, "median_s", sample->median);
    met_json_put_number(json, "min_s", sample->min);
    met_text_double_digits(met_json_value(json, "spread"), sample->spread, DIGITS);
    met_json_put_integer(json, "samples", sample->repeats);
    met_json_close(json, '}');
}

static void put_json_kernel(met_json *json, const met_bench_kernel *kernel)
{
    static const met_json_field fields[] = {
        { "count", offsetof(met_bench_kernel, count), MET_JSON_U32 },
        { "launches", offsetof(met_bench_kernel, launches), MET_JSON_U32 },
        { "of", offsetof(met_bench_kernel, of), MET_JSON_STRING },
        { "nodes", offsetof(met_bench_kernel, nodes), MET_JSON_STRING },
        { "sizes", offsetof(met_bench_kernel, sizes), MET_JSON_STRING },
        { "family", offsetof(met_bench_kernel, family), MET_JSON_STRING },
        { "name", offsetof(met_bench_kernel, name), MET_JSON_STRING },
        { "point", offsetof(met_bench_kernel, point), MET_JSON_STRING },
        { "computes", offsetof(met_bench_kernel, computes), MET_JSON_STRING },
        { "kernel", offsetof(met_bench_kernel, kernel), MET_JSON_STRING },
        { 0 },
    };
    met_json_open(json, NULL, '{');
    met_json_put_fields(json, fields, kernel);
    put_json_sample(json, "warm", &kernel->warm);
    if (kernel->has_cold)
        put_json_sample(json, "cold", &kernel->cold);
    else
        met_json_put_null(json, "cold");
    met_json_put_number(json, "joules", kernel->has_joules ? kernel->joules : (double)NAN);
    met_json_put_string(json, "energy", kernel->has_joules ? "measured" : "unavailable");
    met_json_close(json, '}');
}

static void put_json_bench(met_json *json, const met_bench *bench)
{
    met_json_open(json, NULL, '{');
    met_json_put_string(json, "name", bench->name);
    met_json_put_string(json, "class", bench->class_name);
    met_json_put_integer(json, "threads", bench->threads);
    met_json_put_flag(json, "pinned", bench->pinned);
    met_json_put_integer(json, "rows", bench->rows);
    met_json_put_number(json, "warm_s", bench->warm_s);
    met_json_put_number(json, "cold_s", bench->kernels[0].has_cold ? bench->cold_s : (double)NAN);
    met_json_open(json, "kernels", '[');
    for (size_t k = 0; k < bench->kernel_count; k++)
        put_json_kernel(json, &bench->kernels[k]);
    met_json_close(json, ']');
    met_json_close(json, '}');
}

const char *met_bench_json(met_session *session, size_t count, const met_bench *const *benches)
{
    met_text text = met_text_new(session->arena);
    met_json json = met_json_new_compact(&text);
    met_json_open(&json, NULL, '[');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            met_json_line(&json, 0);
        put_json_bench(&json, benches[i]);
    }
    met_json_close(&json, ']');
    return met_json_done(&json);
}
