/* What libraries and compilers make of sums: `met tree reveal` over OpenBLAS, BLIS, oneDNN and plain loops, as the tables of
 * docs/libraries.md. usage: report_libraries DIRECTORY [OpenBLAS | BLIS | oneDNN | loops]; loops are compiled in the directory. What is
 * absent is reported as absent. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/session.h"
#include "host/revealing.h"
#include "report/reveal.h"

/* Lengths up to where blocks of k show. */
static const met_counts lengths = { 9, { 8, 16, 31, 32, 64, 100, 256, 512, 1000 } };
static const met_counts long_lengths = { 1, { 10001 } };
/* What has no tree may take a number of calls that grows with the square of the length. */
static const met_counts short_lengths = { 3, { 8, 16, 31 } };
/* For what else a tree may depend on. */
static const met_counts offset_lengths = { 2, { 31, 100 } }, offsets = { 3, { 0, 1, 4 } };
static const met_counts thread_lengths = { 1, { 1000 } }, threads = { 2, { 1, 2 } };

/* A way to run a library: what its environment says. */
typedef struct setting {
    const char *title;
    const char *variable, *value; /* NULL: as it is */
} setting;

typedef struct subject {
    const char *symbol, *signature, *transpose, *note;
    uint64_t rows, columns;
    bool is_long, is_short, threads, offsets;
} subject;

typedef struct library {
    const char *title, *file;
    const setting *settings;
    const subject *subjects;
} library;

static const subject blas[] = {
    { .symbol = "cblas_sdot", .is_long = true, .threads = true, .offsets = true },
    { .symbol = "cblas_ddot" },
    { .symbol = "cblas_dsdot" },
    { .symbol = "cblas_sasum" },
    { .symbol = "cblas_snrm2", .is_short = true },
    { .symbol = "cblas_sgemv", .rows = 8, .note = "A by rows, 8 × n", .offsets = true },
    { .symbol = "cblas_sgemv", .rows = 8, .transpose = "a", .note = "A transposed" },
    { .symbol = "cblas_sgemm", .rows = 1, .columns = 8, .note = "1 × 8" },
    { .symbol = "cblas_sgemm", .rows = 8, .columns = 8, .note = "8 × 8", .threads = true },
    { .symbol = "cblas_sgemm", .rows = 100, .columns = 100, .note = "100 × 100" },
    { .symbol = "cblas_dgemm", .rows = 8, .columns = 8, .note = "8 × 8" },
    { 0 },
};
static const subject onednn[] = {
    { .symbol = "dnnl_sgemm", .rows = 1, .columns = 8, .note = "1 × 8" },
    { .symbol = "dnnl_sgemm", .rows = 8, .columns = 8, .note = "8 × 8", .threads = true },
    { .symbol = "dnnl_sgemm", .rows = 100, .columns = 100, .note = "100 × 100" },
    { .symbol = "dnnl_gemm_bf16bf16f32", .rows = 8, .columns = 8, .note = "8 × 8" },
    { 0 },
};
static const setting openblas_settings[] = {
    { "kernels that it chooses here", NULL, NULL },
    { "Haswell kernels", "OPENBLAS_CORETYPE", "Haswell" },
    { 0 },
};
static const setting blis_settings[] = {
    { "kernels that it chooses here", NULL, NULL },
    { "skx kernels", "BLIS_ARCH_TYPE", "0" }, /* in the numbers of BLIS 0.9 */
    { "haswell kernels", "BLIS_ARCH_TYPE", "3" },
    { 0 },
};
static const setting onednn_settings[] = {
    { "all instructions of this machine", NULL, NULL },
    { "AVX2 at most", "DNNL_MAX_CPU_ISA", "AVX2" },
    { 0 },
};
static const library libraries[] = {
    { "OpenBLAS", "libopenblas.so.0", openblas_settings, blas },
    { "BLIS", "libblis.so.4", blis_settings, blas },
    { "oneDNN", "libdnnl.so.2", onednn_settings, onednn },
};

static const subject loops[] = {
    { .symbol = "dot", .signature = "dot f32" }, { .symbol = "sum", .signature = "sum f32" }, { .symbol = "sum_of_doubles", .signature = "sum f64" }, { .symbol = "dot_in_double", .signature = "dot f32" }, { 0 },
};
static const struct {
    const char *compiler, *flags;
} compilations[] = {
    { "gcc", "-O2" },
    { "gcc", "-O3 -march=native" },
    { "gcc", "-O3 -march=native -std=c17" },
    { "gcc", "-O3 -ffast-math" },
    { "gcc", "-O3 -march=native -ffast-math" },
    { "clang", "-O3 -march=native" },
    { "clang", "-O3 -march=native -ffast-math" },
};

/* --- Rows of a table --- */

static const char *products_of(const met_reveal_report *report, const met_reveal_case *c)
{
    if (!report->products)
        return "";
    if (c->revealed.tree.undeclared & (1u << MET_FIELD_CONTRACTION))
        return "?";
    return c->revealed.tree.contraction == MET_CONTRACT_FMA ? "fma" : "mul_add";
}

static void print_joint(const met_reveal_case *c)
{
    static const char *const words[] = { "", "first", "last", "inside", "?" };
    printf("%s", words[c->joint]);
    if (c->joint == MET_JOINT_INSIDE)
        printf(", after %llu", (unsigned long long)c->joint_terms);
}

static void print_span(met_arena *arena, const met_reveal_report *report, const met_reveal_span *span, const subject *s, const char *depends)
{
    const met_reveal_case *from = &report->cases[span->first], *to = &report->cases[span->last];
    met_text rule = met_text_new(arena);
    met_tree shape = span->rule;
    shape.undeclared = 0; /* other columns say what is not known */
    if (span->has_rule)
        met_tree_print(&rule, &shape, shape.precision);
    if (depends)
        printf("| `%s`%s%s ", s->symbol, s->note ? ", " : "", s->note ? s->note : "");
    else
        printf("| ");
    printf("| %llu", (unsigned long long)from->terms);
    if (to != from)
        printf(" … %llu", (unsigned long long)to->terms);
    if (from->revealed.verdict != MET_REVEAL_TREE)
        printf(" | no tree: %s | | | |\n", from->revealed.why ? from->revealed.why : "");
    else {
        printf(" | %s%s%s%s | %s | ", span->has_rule ? "`" : "", span->has_rule ? met_text_done(&rule) : "a tree without a rule",
               span->has_rule ? "`" : "", from->revealed.tree.precision == MET_F64 && report->products ? " (f64)" : "",
               products_of(report, to));
        print_joint(to);
        printf(" | %s |\n", depends ? depends : "");
    }
}

static met_revealing_request request_of(const char *file, const subject *s, const met_counts *terms)
{
    return (met_revealing_request){ .library = file, .symbol = s->symbol, .signature = s->signature, .transpose = s->transpose,
                                    .rows = s->rows, .columns = s->columns, .terms = *terms, .limit_s = 60, .threads = { 1, { 1 } } };
}

/* Whether a case differs from the first of its length. */
static bool changes(met_session *session, const met_revealing_request *request)
{
    const met_reveal_report *report = met_revealing_run(session, request);
    for (size_t i = 0; report && i < report->case_count; i++)
        if (!report->cases[report->cases[i].like].base)
            return true;
    return false;
}

/* What the tree depends on besides its length. */
static const char *dependence_of(met_session *session, const char *file, const subject *s)
{
    met_revealing_request by_offset = request_of(file, s, &offset_lengths), by_threads = request_of(file, s, &thread_lengths);
    if (s->is_long)
        by_threads.terms = long_lengths;
    by_offset.offsets = offsets;
    by_threads.threads = threads;
    by_offset.only_sum = by_threads.only_sum = true;
    bool offset = s->offsets && changes(session, &by_offset), thread = s->threads && changes(session, &by_threads);
    if (offset || thread)
        return offset && thread ? "offset, threads" : offset ? "offset" : "threads";
    if (s->threads || s->offsets)
        return s->threads && s->offsets ? "neither offset nor threads" : s->threads ? "not threads" : "not offset";
    return "not asked";
}

static void print_subject(const char *file, const subject *s)
{
    met_session *session = met_session_new();
    met_revealing_request request = request_of(file, s, s->is_short ? &short_lengths : &lengths);
    const met_revealing *found = met_revealing_run(session, &request);
    if (!found)
        printf("| `%s` | | %.*s | | | |\n", s->symbol, (int)strcspn(met_session_diagnostics_text(session), "\n"),
               met_session_diagnostics_text(session));
    const char *depends = found ? dependence_of(session, file, s) : NULL;
    for (size_t i = 0; found && i < found->span_count; i++)
        print_span(session->arena, found, &found->spans[i], s, i == 0 ? depends : NULL);
    fflush(stdout);
    met_session_free(session);
}

static void print_head(const char *title, const char *setting_title)
{
    printf("\n### %s, %s\n\n| routine | n | tree | products | c joins | depends on |\n|---|---|---|---|---|---|\n", title, setting_title);
}

/* --- Libraries and loops --- */

static void print_library(const library *l)
{
    for (const setting *way = l->settings; way->title; way++) {
        if (way->variable)
            setenv(way->variable, way->value, 1);
        print_head(l->title, way->title);
        for (const subject *s = l->subjects; s->symbol; s++)
            print_subject(l->file, s);
        if (way->variable)
            unsetenv(way->variable);
    }
}

static void print_loops(const char *directory)
{
    for (size_t i = 0; i < sizeof compilations / sizeof *compilations; i++) {
        char file[512], command[1024], title[128];
        snprintf(file, sizeof file, "%s/loops%zu.so", directory, i);
        snprintf(title, sizeof title, "`%s %s`", compilations[i].compiler, compilations[i].flags);
        int length = snprintf(command, sizeof command, "%s %s -fPIC -shared -o '%s' '%s/bench/loops/loops.c'", compilations[i].compiler,
                              compilations[i].flags, file, MET_ROOT_DIR);
        print_head("Plain loops", title);
        if (length >= (int)sizeof command || system(command) != 0)
            printf("| absent | | | | | |\n");
        else
            for (const subject *s = loops; s->symbol; s++)
                print_subject(file, s);
    }
}

int main(int argc, char **argv)
{
    const char *only = argc > 2 ? argv[2] : NULL;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (!only || !strcmp(only, libraries[i].title))
            print_library(&libraries[i]);
    if (!only || !strcmp(only, "loops"))
        print_loops(argc > 1 ? argv[1] : "/tmp");
    return 0;
}
