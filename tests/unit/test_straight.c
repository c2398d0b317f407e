/* Bounds of straight-line programs: not below what any sample shows, and not far above it. */
#include "straight_sample.h"

#include <stdio.h>

#include "base/text.h"

/* Small: what is looked for must be found within it. */
static const uint64_t work = 100000;

/* Samples of each program, and whether to print the bounds beside them: MET_SHOW=20000 for the table of docs/straight.md. */
static unsigned samples_of(unsigned usual)
{
    const char *shown = getenv("MET_SHOW");
    return shown && atoi(shown) > 1 ? (unsigned)atoi(shown) : usual;
}

/* Bounds all programs of a text and samples them. The largest factor between a bound and what was seen. */
static double check_text(const char *name, const char *text, size_t length, const met_straight_options *options, unsigned samples)
{
    met_session *session = met_session_new();
    uint32_t source = met_session_add_source(session, name, text, length);
    size_t count;
    const met_straight_answer *answers = met_straight_bound(session, source, options, &count);
    const met_fpcore_list *list = met_fpcore_read(session, source);
    double widest = 0;
    if (!answers || !list)
        fail_msg("%s", met_session_diagnostics_text(session));
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(answers[i].absolute))
            fail_msg("%s has no bound: %s", answers[i].name, answers[i].why);
        double seen = largest_error(session, source, list->programs[i], &answers[i], samples_of(samples));
        if (!strstr(answers[i].name, "triangle")) /* their worst points are on the edges of conditions: it takes more samples */
            widest = fmax(widest, answers[i].absolute / seen);
        if (getenv("MET_SHOW"))
            print_message("| %s | %.3g | %.3g | %.3g |\n", answers[i].name, answers[i].absolute, seen, answers[i].absolute / seen);
    }
    met_session_free(session);
    return widest;
}

/* --- Known values --- */

/* The program of a case as FPCore; its box may be the whole :pre. */
static const char *core_of(met_session *session, const test_case *test)
{
    met_text out = met_text_new(session->arena);
    const met_value *args = field(test->in, "args");
    met_text_put(&out, "(FPCore (");
    for (size_t i = 0; i < args->items.count; i++)
        met_text_format(&out, "%s%.*s", i ? " " : "", MET_STR_ARGS(args->items.at[i]->string));
    met_text_put(&out, ") :pre (and");
    for (size_t i = 0; i < args->items.count; i++) {
        char name[32] = { 0 };
        memcpy(name, args->items.at[i]->string.at, args->items.at[i]->string.length);
        const met_value *range = field(field(test->in, "box"), name);
        met_text_put(&out, " (<= ");
        met_text_double(&out, range->items.at[0]->number);
        met_text_format(&out, " %s ", name);
        met_text_double(&out, range->items.at[1]->number);
        met_text_put(&out, ")");
    }
    met_text_format(&out, ") %.*s)", MET_STR_ARGS(string_field(test->in, "program")));
    return met_text_done(&out);
}

static void known_case(const test_case *test)
{
    met_session *session = met_session_new();
    const char *text = core_of(session, test);
    size_t count;
    met_straight_options options = { .work = work };
    uint32_t source = met_session_add_source(session, test->id, text, strlen(text));
    const met_straight_answer *answer = met_straight_bound(session, source, &options, &count);
    if (!answer)
        fail_msg("%s: %s", test->id, met_session_diagnostics_text(session));
    assert_int_equal(count, 1);
    double error = number_field(test->out, "error");
    assert_true(isfinite(answer->absolute));
    if (!(answer->absolute >= error))
        fail_msg("%s: the bound %.17g is below an error that occurs, %.17g", test->id, answer->absolute, error);
    /* without their conditions, triangles take roots of what reaches 0: errors there are √u, and no sample of theirs is near;
     * nor is one of r4 near its pole */
    bool near_pole = !answer->always_defined || strstr(test->id, "nonlin1_r4");
    if (!near_pole && !(answer->absolute <= 10 * error))
        fail_msg("%s: the bound %.17g is far beyond %.17g", test->id, answer->absolute, error);
    assert_true(answer->reached <= answer->absolute);
    /* the point at which the error occurs shows it here too */
    const met_straight_program *program = met_fpcore_read(session, source)->programs[0];
    double args[MET_STRAIGHT_ARGS], relative, machine[256];
    mpfr_t exact[256];
    assert_true(program->nodes.count <= 256);
    for (size_t i = 0; i < program->nodes.count; i++)
        mpfr_init2(exact[i], RUN_BITS);
    for (size_t i = 0; i < program->arg_count; i++) {
        char number[64] = { 0 };
        met_str digits = string_field(field(test->out, "point"), answer->arguments[i].name);
        memcpy(number, digits.at, digits.length);
        args[i] = strtod(number, NULL);
    }
    double here = run_error(program, met_session_source(session, source), args, machine, exact, &relative);
    if (!(fabs(here - error) <= 1e-6 * error)) /* the file's tolerance */
        fail_msg("%s: at the point the error is %.17g, not %.17g", test->id, here, error);
    for (size_t i = 0; i < program->nodes.count; i++)
        mpfr_clear(exact[i]);
    met_session_free(session);
}

static void known_values(void **state)
{
    (void)state;
    each_case(MET_TEST_DATA_DIR "/budgets.toml", "straight", 28, known_case);
    each_case(MET_TEST_DATA_DIR "/budgets_more.toml", "straight", 14, known_case);
}

/* --- Samples --- */

/* Every operation, both formats, roots at 0, exact steps, tiny numbers. Bounds of these are within a factor of 20 of what
 * samples show: worst cases of single roundings seldom meet. */
static const char programs[] =
    "(FPCore (x y) :pre (and (<= 1 x 8) (<= -3 y -0.5)) (fma x y (- (* x x) (/ y 3))))"
    "(FPCore (x) :pre (<= 0.5 x 4) (+ (sqrt x) (+ (cbrt x) (hypot x 0.3))))"
    "(FPCore (x) :pre (<= -2 x 3) (- (exp x) (+ (exp2 x) (expm1 x))))"
    "(FPCore (x) :pre (<= 0.1 x 3) (* (log x) (+ (log2 x) (+ (log10 x) (log1p x)))))"
    "(FPCore (x) :pre (<= -1.4 x 1.2) (+ (sin x) (* (cos x) (tan x))))"
    "(FPCore (x) :pre (<= -0.9 x 0.8) (+ (asin x) (- (acos x) (* 2 (atan x)))))"
    "(FPCore (x) :pre (<= -2 x 2) (/ (sinh x) (+ (cosh x) (tanh x))))"
    "(FPCore (x y) :pre (and (<= 0.2 x 2) (<= -1.5 y 2.5)) (+ (pow x y) (pow (- x 1) 3)))"
    "(FPCore (x y) :pre (and (<= -1 x 1) (<= -1 y 2)) (fmax (fmin (* x y) 0.3) (fabs (- x (* y 0.1)))))"
    "(FPCore (x) :precision binary32 :pre (<= 1/3 x 17/3) (- (* x (sqrt x)) (/ 1 (+ x 1/7))))"
    "(FPCore (x) :precision binary32 :pre (<= 1/3 x 17/3) (! :precision binary64 (+ 0.1 (* (cast x) (cast x)))))"
    "(FPCore (x) :pre (<= 1/3 x 17/3) (! :precision binary32 (+ 0.1 (* (cast x) (cast x)))))"
    "(FPCore (x) :precision binary32 :pre (<= 1e-40 x 3e-38) (* (+ x 1e-39) 0.3))"
    "(FPCore (x) :precision binary32 :pre (<= 1e-38 x 1e-36) (* 0.1 x))"
    "(FPCore (x) :precision binary32 :pre (<= 1e-38 x 1e-36) (/ x 64))"
    "(FPCore (x y) :pre (and (<= 0 x 1) (<= 0 y 1)) (sqrt (+ (* x x) (* y y))))"
    "(FPCore (x y) :pre (and (<= 1 x 2) (<= 1 y 2) (<= x (* 1.5 y))) (* 4 (- x (/ y 2))))"
    "(FPCore (x) :pre (<= 3 x 4) (let* ([y (+ x 0.1)] [z (* y y)]) (/ (- z PI) y)))";

static void samples_stay_below(void **state)
{
    (void)state;
    met_straight_options options = { .work = work };
    double widest = check_text("programs", programs, sizeof programs - 1, &options, 400);
    if (!(widest <= 20))
        fail_msg("a bound is %g times what samples show", widest);
}

/* FPBench's straight-line programs. Some state no range of their arguments: here they have these. */
static const struct {
    const char *name;
    met_straight_range ranges[8];
} files[] = {
    { "daisy", { { 0 } } },
    { "fptaylor-extra", { { 0 } } },
    { "fptaylor-real2float", { { 0 } } },
    { "fptaylor-tests", { { 0 } } },
    { "graphics", { { "a", 1, 10 }, { "b", 1, 10 }, { "c", 1, 10 }, { "d", 1, 10 } } },
    { "hamming-ch3",
      { { "x", 0.1, 0.9 }, { "eps", 0.001, 0.1 }, { "N", 1, 1000 }, { "a", 1, 2 }, { "b", 5, 10 }, { "b2", 5, 10 }, { "c", 1, 2 }, { "n", 1, 10 } } },
    { "herbie", { { "re", 0, 3 }, { "im", -2, 2 } } },
    { "rosa", { { 0 } } },
    { "rump", { { "a", 77617, 77617 }, { "b", 33096, 33096 } } },
};

static void benchmarks_stay_below(void **state)
{
    (void)state;
    const char *root = getenv("MET_TESTDATA");
    if (!root) {
        print_message("MET_TESTDATA is not set: no FPBench\n");
        return;
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[1024];
        const char *text;
        size_t length;
        met_session *session = met_session_new();
        met_straight_options options = { .work = getenv("MET_SHOW") ? 0 : 50000, .ranges = files[i].ranges };
        while (options.range_count < 8 && files[i].ranges[options.range_count].name)
            options.range_count++;
        snprintf(path, sizeof path, "%s/fpbench/%s.fpcore", root, files[i].name);
        assert_true(met_file_read(session, path, (size_t)1 << 20, &text, &length));
        double widest = check_text(path, text, length, &options, 200);
        if (!(widest <= 60))
            fail_msg("%s: a bound is %g times what samples show", files[i].name, widest);
        met_session_free(session);
    }
}

/* What Rosa states in FPBench's files that it ensures, with rounded inputs (:rosa-ensuring; Darulova and Kuncak, POPL 2014). */
static void published_bounds_are_met(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double published;
    } cases[] = {
        { "(FPCore (u v T) :pre (and (<= -100 u 100) (<= 20 v 20000) (<= -30 T 50)) (let ([t1 (+ 331.4 (* 0.6 T))])"
          " (/ (* (- t1) v) (* (+ t1 u) (+ t1 u)))))", 1e-12 },
        { "(FPCore (x) :pre (< -2 x 2) (- (* 0.954929658551372 x) (* 0.12900613773279798 (* (* x x) x))))", 1e-14 },
        { "(FPCore (u) :pre (<= 0 u 1) (/ (- (* (* u u) u)) 6))", 1e-11 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        met_session *session = met_session_new();
        met_straight_options options = { .work = work, .rounded_inputs = true };
        size_t count;
        uint32_t source = met_session_add_source(session, "published", cases[i].text, strlen(cases[i].text));
        assert_true(met_straight_bound(session, source, &options, &count)->absolute <= cases[i].published / 8);
        met_session_free(session);
    }
}

/* --- Single statements --- */

static met_straight_answer bound_of(const char *text, met_straight_options options)
{
    static met_session *session; /* the answer's texts live until the next one */
    size_t count;
    if (session)
        met_session_free(session);
    session = met_session_new();
    uint32_t source = met_session_add_source(session, "text", text, strlen(text));
    const met_straight_answer *answer = met_straight_bound(session, source, &options, &count);
    if (!answer)
        fail_msg("%s", met_session_diagnostics_text(session));
    return *answer;
}

static double absolute_of(const char *text)
{
    return bound_of(text, (met_straight_options){ .work = work }).absolute;
}

static void exact_operations_cost_nothing(void **state)
{
    (void)state;
    assert_true(absolute_of("(FPCore (x) :pre (<= -3 x 7) (* 4 (- x)))") == 0);
    assert_true(absolute_of("(FPCore (x) :pre (<= -3 x 7) (/ (fabs x) 0.25))") == 0);
    assert_true(absolute_of("(FPCore (x y) :pre (and (<= 1 x 2) (<= 1 y 2)) (- x y))") == 0); /* Sterbenz */
    assert_true(absolute_of("(FPCore (x y) :pre (and (<= -2 x -1) (<= 1 y 2)) (+ x y))") == 0);
    assert_true(absolute_of("(FPCore (x y) :precision binary32 :pre (and (<= 0 x 1e-39) (<= 0 y 1e-39)) (+ x y))") == 0);
    assert_true(absolute_of("(FPCore (x) :pre (<= 1 x 2) (+ x 0))") == 0);
    /* and these lose half a place: of [1, 2), of the least subnormal */
    assert_true(absolute_of("(FPCore (x y) :pre (and (<= 1 x 2) (<= 0.1 y 1)) (- x y))") == 0x1p-53);
    assert_true(absolute_of("(FPCore (x) :precision binary32 :pre (<= 0 x 1e-38) (/ x 2))") == 0x1p-150);
    assert_true(absolute_of("(FPCore (x) :pre (<= 0 x 1) (* x 3))") == 0x1p-52);
    /* a constant that is no number of the format: 0.1 rounds up by 0x1.999999999999ap-4 - 1/10 = 1/(5·2^55) */
    double tenth = absolute_of("(FPCore () 0.1)");
    assert_true(tenth >= 0x1p-55 / 5 && tenth <= 0x1p-55 / 5 * (1 + 0x1p-40));
    /* just below a tie: it rounds to the largest number, and loses almost half a place */
    double largest = absolute_of("(FPCore () :precision binary32 340282356779733661637539395458142568447)");
    assert_true(largest > 0x1p+103 * 0.999 && largest <= 0x1p+103 * (1 + 0x1p-40));
    /* what is above the range of another format is a number of this one; what nothing depends on does not matter */
    assert_true(absolute_of("(FPCore (x) :pre (<= 1 x 2) (+ (* 0 1e39) x))") <= 0x1p-53);
    assert_true(absolute_of("(FPCore (x) :pre (<= 1 x 2) (let ([y 1e309]) x))") == 0);
    /* equal operations round alike */
    assert_true(absolute_of("(FPCore (x) :pre (<= 1 x 3) (- (/ 1 x) (/ 1 x)))") == 0);
}

static void options_change_what_is_bounded(void **state)
{
    (void)state;
    const char *above = "(FPCore (x) :pre (and (<= 1 x 3) (> (* x x) 4)) x)";
    met_straight_answer exact = bound_of(above, (met_straight_options){ .work = work });
    assert_true(exact.absolute == 0 && exact.conditions == 1);
    met_straight_answer rounded = bound_of(above, (met_straight_options){ .work = work, .rounded_inputs = true });
    assert_true(rounded.absolute == 0x1p-52);
    /* at most half a place of 2 at 2 or more, where the condition holds */
    assert_true(rounded.relative <= 0x1p-53 * 1.011);
    met_straight_answer box = bound_of(above, (met_straight_options){ .work = work, .rounded_inputs = true, .box_only = true });
    assert_true(box.lo == 1 && box.ignored == 1 && box.conditions == 0);
    assert_true(box.relative > 0x1p-53 * 0.99 && bound_of("(FPCore (x) :pre (and (<= 1 x 3) (> (* x x) 1.5)) (/ 1 (- (* x x) 1)))", (met_straight_options){ .work = work }).absolute < 1e-14);
    met_straight_range range = { "x", 2.5, 2.75 };
    met_straight_answer given = bound_of(above, (met_straight_options){ .work = work, .range_count = 1, .ranges = &range });
    assert_true(given.lo == 2.5 && given.hi == 2.75);
    const char *wave = "(FPCore (x) :pre (<= 1.1 x 1.3) (sin x))";
    double one = bound_of(wave, (met_straight_options){ .work = work }).absolute;
    assert_true(bound_of(wave, (met_straight_options){ .work = work, .ulps = 0.5 }).absolute == one / 2);
}

static void no_bound_says_why(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why;
    } cases[] = {
        { "(FPCore (x) :pre (<= -1 x 1) (/ 1 x))", "divides by what may be 0" },
        { "(FPCore (x) :pre (<= 0 x 1) (log x))", "steep" },
        { "(FPCore (x y) :pre (<= -1 x 1) (+ x y))", "`y`" },
        { "(FPCore (x) :pre (<= 0 x 1e300) (* x x))", "overflow" },
        { "(FPCore (x) :precision binary32 :pre (<= 1 x 2) (/ x 1e39))", "largest number of binary32" },
        { "(FPCore (x) :pre (<= 1 x 2) (/ x -1e309))", "largest number of binary64" },
        /* half a place above the largest number is a tie, which overflows: 2^128 - 2^103 */
        { "(FPCore () :precision binary32 340282356779733661637539395458142568448)", "largest number of binary32" },
        { "(FPCore (x) :pre (<= 1 x 2) (* x (* 0 1e309)))", "largest number of binary64" }, /* infinity times 0 */
        { "(FPCore (x) :precision binary32 :pre (<= 1 x 1e30) (* 0 (* x 1e30)))", "overflow" },
        { "(FPCore (x) :pre (and (<= 0 x 1) (<= 2 x)) x)", "conditions" },
        { "(FPCore (x) :pre (and (<= 0 x 1) (>= (* x x) 2)) x)", "conditions" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        met_straight_answer answer = bound_of(cases[i].text, (met_straight_options){ .work = work });
        assert_true(isinf(answer.absolute) && isinf(answer.relative));
        assert_non_null(answer.why);
        if (!strstr(answer.why, cases[i].why))
            fail_msg("%s: %s", cases[i].text, answer.why);
    }
}

/* More work never loosens a bound. */
static void work_tightens(void **state)
{
    (void)state;
    const char *text = "(FPCore (x y) :pre (and (<= 0 x 1) (<= 0.5 y 1)) (/ (- (* x x) y) (+ x (* y y))))";
    double before = INFINITY;
    for (uint64_t n = 10; n <= 1000000; n *= 10) {
        double bound = bound_of(text, (met_straight_options){ .work = n }).absolute;
        assert_true(bound <= before);
        before = bound;
    }
    /* the bound jumps at 1/4, where y² is exact, and just above it is not: no point shows the limit */
    assert_true(before <= bound_of(text, (met_straight_options){ .work = 1000000 }).reached * 1.2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values),
        cmocka_unit_test(samples_stay_below),
        cmocka_unit_test(benchmarks_stay_below),
        cmocka_unit_test(published_bounds_are_met),
        cmocka_unit_test(exact_operations_cost_nothing),
        cmocka_unit_test(options_change_what_is_bounded),
        cmocka_unit_test(no_bound_says_why),
        cmocka_unit_test(work_tightens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
