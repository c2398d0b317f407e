/* met tree reveal: the tree of a sum or dot product in code that is not ours. */
#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/values.h"
#include "host/file.h"
#include "host/revealing.h"
#include "met/diagnose.h"

static const cli_option own_options[] = {
    { "lib", 0, "FILE", "a shared library, as the loader finds it" },
    { "symbol", 0, "NAME", "its routine: cblas_sdot, cblas_sgemv, sgemm_, dnnl_sgemm, …" },
    { "signature", 0, "TEXT",
      "how it is called: `float (int n, float *a, int, float *b, int)`, or dot f32, sum f64, gemv f32, gemm f32" },
    { "command", 0, "LINE", "instead of a routine, a program on NumPy files: `prog {in} {out}`, `prog {a} {b} {out}`" },
    { "n", 0, "N,…", "terms, or a..b; where --k is given, columns of the result" },
    { "k", 0, "N,…", "terms of a matrix product, likewise" },
    { "m", 0, "N", "rows of the result of a matrix; without it 8" },
    { "row", 0, "I", "of the element that is looked at, from 0" },
    { "col", 0, "J", "likewise" },
    { "transpose", 0, "a|b|ab", "operands that are stored transposed" },
    { "offset", 0, "N,…", "elements by which operands are off the start of a page" },
    { "threads", 0, "N,…", "that the library is told to use, by OMP_NUM_THREADS and its like" },
    { "kind", 0, "WORD", "what is computed: dot, sum, mean, magnitudes, squares, exponentials" },
    { "dtype", 0, "FORMAT", "of the operands of a command: f32, f64, f16, bf16" },
    { "method", 0, "WORD", "count, triples or squares; without it, what fits" },
    { "only-sum", 0, NULL, "not where the result is added to what stands there" },
    { "limit", 0, "SECONDS", "for loading and for each call; without it 10" },
    { "calls", 0, "N", "of a command at most; without it 20000" },
    { "seed", 0, "N", "of the pivots" },
    { "whole", 0, NULL, "trees written out, whatever their length" },
    { "output", 'o', "FILE", "the record, as JSON: of the rule if one explains several lengths, else of the first" },
    { 0 },
};

static bool read_one(const char **at, uint64_t *ret_n)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(*at, &end, 10);
    if (**at < '0' || **at > '9' || errno)
        return false;
    *at = end;
    *ret_n = n;
    return true;
}

/* "64,100,200..220". */
static bool read_counts(const cli_request *request, const char *option, met_counts *ret_counts)
{
    const char *text = cli_value(request, option), *at = text;
    ret_counts->count = 0;
    for (bool more = text != NULL; more;) {
        uint64_t first, last;
        bool good = read_one(&at, &first);
        last = first;
        if (good && strncmp(at, "..", 2) == 0) {
            at += 2;
            good = read_one(&at, &last) && last >= first;
        }
        more = *at == ',';
        if (!good || (*at && !more)) {
            cli_usage_error(request, "--%s takes numbers such as 64,100 or 1..32, not `%s`", option, text);
            return false;
        }
        if (last - first >= MET_REVEALING_CASES - ret_counts->count) {
            cli_usage_error(request, "--%s has more than %d numbers", option, MET_REVEALING_CASES);
            return false;
        }
        for (uint64_t i = 0; i <= last - first; i++) /* `last` may be the largest number there is */
            ret_counts->at[ret_counts->count++] = first + i;
        at += more;
    }
    return true;
}

/* Terms are --k where it is given, and then --n is of the result. */
static bool read_sizes(const cli_request *request, met_revealing_request *r)
{
    bool product = cli_value(request, "k") != NULL;
    if (!read_counts(request, product ? "k" : "n", &r->terms) || !read_counts(request, "offset", &r->offsets) ||
        !read_counts(request, "threads", &r->threads) || !cli_read_count(request, "m", &r->rows) ||
        !cli_read_count(request, "row", &r->row) || !cli_read_count(request, "col", &r->column) ||
        (product && !cli_read_count(request, "n", &r->columns)) || !cli_read_count(request, "calls", &r->call_limit) ||
        !cli_read_count(request, "seed", &r->seed))
        return false;
    if (r->terms.count == 0) {
        cli_usage_error(request, "--n says how many terms: 64, or 64,100,1000");
        return false;
    }
    for (size_t i = 0; i < r->threads.count; i++)
        if (r->threads.at[i] == 0 || r->threads.at[i] > 4096) {
            cli_usage_error(request, "--threads takes numbers from 1 to 4096");
            return false;
        }
    size_t others = (r->offsets.count ? r->offsets.count : 1) * (r->threads.count ? r->threads.count : 1);
    if (r->terms.count * others > MET_REVEALING_CASES) {
        cli_usage_error(request, "lengths, offsets and threads make more than %d cases", MET_REVEALING_CASES);
        return false;
    }
    return true;
}

static bool read_subject(const cli_request *request, met_revealing_request *r)
{
    r->library = cli_value(request, "lib");
    r->symbol = cli_value(request, "symbol");
    r->command = cli_value(request, "command");
    r->signature = cli_value(request, "signature");
    r->dtype = cli_value(request, "dtype");
    r->kind = cli_value(request, "kind");
    r->method = cli_value(request, "method");
    r->transpose = cli_value(request, "transpose");
    r->only_sum = cli_flag(request, "only-sum");
    if (r->command && (r->library || r->symbol))
        cli_usage_error(request, "--lib and --command are two subjects: one at a time");
    else if (!r->command && (!r->library || !r->symbol))
        cli_usage_error(request, "--lib FILE --symbol NAME say which routine, or --command which program");
    else if (r->command && (r->signature || cli_value(request, "offset") || cli_value(request, "threads") || r->transpose))
        cli_usage_error(request, "--signature, --offset, --threads and --transpose are for routines, not for programs");
    else if (!r->command && r->dtype)
        cli_usage_error(request, "--dtype is for programs: the formats of a routine are those of its signature");
    else if (r->transpose && strcmp(r->transpose, "a") && strcmp(r->transpose, "b") && strcmp(r->transpose, "ab"))
        cli_usage_error(request, "--transpose takes a, b or ab, not `%s`", r->transpose);
    else
        return true;
    return false;
}

static bool write_record(const cli_request *request, const met_revealing *found)
{
    const char *path = cli_value(request, "output");
    const char *record = path ? met_revealing_record(request->session, found) : NULL;
    return !record || met_file_write(request->session, path, record, strlen(record));
}

/* Each case as it is found, which may take minutes. */
static void print_case(const void *context, const met_revealing *so_far)
{
    const cli_request *request = context;
    fputs(met_revealing_case_text(request->session, so_far, cli_flag(request, "whole")), stdout);
    fflush(stdout);
}

static int reveal(const cli_request *request)
{
    met_revealing_request r = { .progress = isatty(STDERR_FILENO), .found = cli_flag(request, "json") ? NULL : print_case,
                                .context = request };
    const char *output = cli_value(request, "output");
    if (!read_subject(request, &r) || !read_sizes(request, &r) || 
        !cli_read_number(request, "limit", DBL_TRUE_MIN, 1e6, "seconds", &r.limit_s))
        return CLI_BAD_INPUT;
    if (output && !met_file_may_write(request->session, output))
        return CLI_ENVIRONMENT;
    const met_revealing *found = met_revealing_run(request->session, &r);
    if (!found)
        return cli_failed(request);
    fputs(cli_flag(request, "json") ? met_revealing_json(request->session, found)
                                    : met_revealing_conclusion_text(request->session, found), stdout);
    if (!write_record(request, found))
        return CLI_ENVIRONMENT;
    return met_revealing_is_tree(found) ? CLI_DONE : CLI_CHECK_FAILED;
}

static const cli_option *const options[] = { own_options, cli_common_options, NULL };

const cli_verb cli_tree_reveal = {
    .noun = "tree", .verb = "reveal", .arguments = "",
    .summary = "finds how a routine or a program adds up: its tree, and what its additions do",
    .options = options, .run = reveal,
};
