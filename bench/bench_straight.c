/* Bounds of straight-line programs beside Gappa's: FPBench's, from MET_TESTDATA/fpbench. Gappa gets the same arguments (exact
 * numbers of the format), the same rounding and the same conditions' ranges, once as it is and once with the arguments' ranges
 * cut, in as many parts as leaves some dozens of boxes. It knows no exp, sin, pow; those programs it is not asked. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "budget/fpcore.h"
#include "contest.h"
#include "host/file.h"
#include "met/straight.h"

static const char *const files[] = { "daisy", "fptaylor-extra", "fptaylor-real2float", "fptaylor-tests", "rosa" };

enum { BOXES = 64, SECONDS = 5 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* An operation in Gappa's words; false if it has none. `prefix` is r of rounded values, m of exact ones. */
static bool put_operation(FILE *out, const met_straight_node *node, char prefix)
{
    const uint32_t *a = node->args;
    switch (node->code) {
    case MET_STRAIGHT_NEG: return fprintf(out, "-%c%u", prefix, a[0]) > 0;
    case MET_STRAIGHT_ADD: return fprintf(out, "%c%u + %c%u", prefix, a[0], prefix, a[1]) > 0;
    case MET_STRAIGHT_SUB: return fprintf(out, "%c%u - %c%u", prefix, a[0], prefix, a[1]) > 0;
    case MET_STRAIGHT_MUL: return fprintf(out, "%c%u * %c%u", prefix, a[0], prefix, a[1]) > 0;
    case MET_STRAIGHT_DIV: return fprintf(out, "%c%u / %c%u", prefix, a[0], prefix, a[1]) > 0;
    case MET_STRAIGHT_SQRT: return fprintf(out, "sqrt(%c%u)", prefix, a[0]) > 0;
    default: return false;
    }
}

static bool put_node(FILE *out, const met_straight_program *program, const met_source *source, uint32_t i)
{
    const met_straight_node *node = &program->nodes.at[i];
    if (node->code == MET_STRAIGHT_ARG)
        return fprintf(out, "r%u = rnd(x%u);\nm%u = r%u;\n", i, i, i, i) > 0;
    if (node->code == MET_STRAIGHT_CONST) {
        int length = (int)(node->span.end - node->span.begin);
        const char *text = source->text.at + node->span.begin;
        bool exact = node->exact.slip.lo == 0 && node->exact.slip.hi == 0;
        return fprintf(out, "m%u = %.*s;\n", i, length, text) > 0 && fprintf(out, exact ? "r%u = m%u;\n" : "r%u = rnd(m%u);\n", i, i) > 0;
    }
    fprintf(out, "m%u = ", i);
    bool known = put_operation(out, node, 'm');
    fprintf(out, node->code == MET_STRAIGHT_NEG ? ";\nr%u = (" : ";\nr%u = rnd(", i);
    put_operation(out, node, 'r');
    return fprintf(out, ");\n") > 0 && known;
}

/* The question for Gappa; false if it has no words for it. */
static bool put_question(FILE *out, const met_straight_program *program, const met_source *source, bool cut)
{
    bool known = true;
    fprintf(out, "@rnd = float<%s, ne>;\n", program->format->bits == 24 ? "ieee_32" : "ieee_64");
    for (uint32_t i = 0; i <= program->result; i++)
        known = put_node(out, program, source, i) && known;
    fprintf(out, "{ ");
    for (uint32_t i = 0; i < program->arg_count; i++)
        fprintf(out, "%sr%u in [%.17g, %.17g]", i ? " /\\ " : "", i, program->args[i].range.lo, program->args[i].range.hi);
    fprintf(out, " -> |r%u - m%u| in ? }\n", program->result, program->result);
    if (cut) {
        unsigned parts = (unsigned)pow(BOXES, 1.0 / (double)program->arg_count);
        fprintf(out, "r%u - m%u $ ", program->result, program->result);
        for (uint32_t i = 0; i < program->arg_count; i++)
            fprintf(out, "%sr%u in %u", i ? ", " : "", i, parts < 2 ? 2 : parts);
        fprintf(out, ";\n");
    }
    return known;
}

/* Gappa's bound, or -1. */
static double ask_gappa(const met_straight_program *program, const met_source *source, bool cut, double *ret_seconds)
{
    char path[] = "/tmp/met_gappa_XXXXXX", command[128], line[512];
    int fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    double bound = -1;
    if (!file)
        return -1;
    bool known = put_question(file, program, source, cut);
    fclose(file);
    snprintf(command, sizeof command, "timeout %d gappa %s 2>&1", SECONDS, path);
    double start = now();
    FILE *answer = known ? popen(command, "r") : NULL;
    while (answer && fgets(line, sizeof line, answer)) {
        const char *brace = strrchr(line, '{');
        if (strstr(line, "in [") && brace)
            bound = strtod(brace + 1, NULL);
    }
    if (answer)
        pclose(answer);
    *ret_seconds = now() - start;
    unlink(path);
    return bound;
}

static void print_peer(double bound, double seconds, double ours)
{
    if (bound >= 0)
        printf("  %9.3g %6.0f ms %6.2f x", bound, 1e3 * seconds, bound / ours);
    else
        printf("  %9s %9s %8s", "-", "", "");
}

static void compare_file(met_session *session, uint32_t source, bool gappa)
{
    met_straight_options options = { .work = contest_quick() ? 100000 : 0 };
    size_t count;
    double start = now(), plain = 0, cut = 0;
    const met_straight_answer *answers = met_straight_bound(session, source, &options, &count);
    const met_fpcore_list *list = met_fpcore_read(session, source);
    double each = (now() - start) / (double)(count ? count : 1);
    for (size_t i = 0; answers && list && i < count; i++) {
        if (!isfinite(answers[i].absolute))
            continue;
        printf("%-28.28s %9.3g %6.0f ms", answers[i].name, answers[i].absolute, 1e3 * each);
        const met_source *text = met_session_source(session, source);
        print_peer(gappa ? ask_gappa(list->programs[i], text, false, &plain) : -1, plain, answers[i].absolute);
        print_peer(gappa ? ask_gappa(list->programs[i], text, true, &cut) : -1, cut, answers[i].absolute);
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    (void)argc;
    contest_start(argv);
    const char *root = getenv("MET_TESTDATA");
    bool gappa = system("gappa --version >/dev/null 2>&1") == 0;
    if (!root) {
        printf("MET_TESTDATA is not set: no FPBench\n");
        return 0;
    }
    printf("bounds of straight-line programs, exact inputs; met's time is the mean of a file%s\n\n", gappa ? "" : "; no gappa here");
    printf("%-28s %9s %9s  %9s %9s %8s  %9s %9s\n", "", "met", "", "gappa", "", "", "gappa cut", "");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[1024];
        met_session *session = met_session_new();
        snprintf(path, sizeof path, "%s/fpbench/%s.fpcore", root, files[i]);
        uint32_t source = met_file_source(session, path);
        if (source)
            compare_file(session, source, gappa);
        fputs(met_session_diagnostics_text(session), stdout);
        met_session_free(session);
    }
    return 0;
}
