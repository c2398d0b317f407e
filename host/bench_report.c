#include "host/bench_report.h"

#include <string.h>

#include "base/session.h"
#include "base/text.h"

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

static void put_json_sample(met_text *text, const char *key, const met_sample *sample)
{
    met_text_format(text, ",\"%s\":{\"median_s\":", key);
    met_text_double(text, sample->median);
    met_text_put(text, ",\"min_s\":");
    met_text_double(text, sample->min);
    met_text_put(text, ",\"spread\":");
    met_text_double_digits(text, sample->spread, DIGITS);
    met_text_format(text, ",\"samples\":%zu}", sample->repeats);
}

static void put_json_text(met_text *text, const char *key, const char *value)
{
    met_text_format(text, ",\"%s\":", key);
    met_text_json_string(text, met_str_of(value));
}

static void put_json_kernel(met_text *text, const met_bench_kernel *kernel)
{
    met_text_format(text, "{\"count\":%u,\"launches\":%u", (unsigned)kernel->count, (unsigned)kernel->launches);
    put_json_text(text, "of", kernel->of);
    put_json_text(text, "nodes", kernel->nodes);
    put_json_text(text, "sizes", kernel->sizes);
    put_json_text(text, "family", kernel->family);
    put_json_text(text, "name", kernel->name);
    put_json_text(text, "point", kernel->point);
    put_json_text(text, "computes", kernel->computes);
    put_json_text(text, "kernel", kernel->kernel);
    put_json_sample(text, "warm", &kernel->warm);
    if (kernel->has_cold)
        put_json_sample(text, "cold", &kernel->cold);
    else
        met_text_put(text, ",\"cold\":null");
    if (kernel->has_joules) {
        met_text_put(text, ",\"joules\":");
        met_text_double(text, kernel->joules);
        met_text_put(text, ",\"energy\":\"measured\"}");
    } else {
        met_text_put(text, ",\"joules\":null,\"energy\":\"unavailable\"}");
    }
}

const char *met_bench_json(met_session *session, const met_bench *bench)
{
    met_text text = met_text_new(session->arena);
    met_text_format(&text, "{\"name\":\"%s\",\"class\":\"%s\",\"threads\":%u,\"pinned\":%s,\"rows\":%llu,\"warm_s\":", bench->name,
                    bench->class_name, (unsigned)bench->threads, bench->pinned ? "true" : "false",
                    (unsigned long long)bench->rows);
    met_text_double(&text, bench->warm_s);
    met_text_put(&text, ",\"cold_s\":");
    if (bench->kernels[0].has_cold)
        met_text_double(&text, bench->cold_s);
    else
        met_text_put(&text, "null");
    met_text_put(&text, ",\"kernels\":[");
    for (size_t k = 0; k < bench->kernel_count; k++) {
        met_text_put(&text, k ? "," : "");
        put_json_kernel(&text, &bench->kernels[k]);
    }
    met_text_put(&text, "]}");
    return met_text_done(&text);
}
