/* The history of a blueprint, and what FORKS.md lists. */
#include "audited.h"

#include "audit/forks.h"
#include "audit/history.h"
#include "audit/report.h"

#include "on_session.h"

#define FILE_TEXT \
    "# What each version of the blueprint amounts to, class by class. Written by `met lkb history --append`.\n" \
    "\n[[version]]\ndate = \"2030-01-02\"\ndigest = \"ab\"\nclass = [\n" \
    "  { id = \"cpu\", families = 3, points = 40, copies = 2, kernels = 9, own_kernels = 9, residual = 1, rules = 12, " \
    "equations = 7, coverage = 0.9750, measured = 0.1000 },\n]\n"

static const met_history *history_of(const char *text)
{
    const met_value *file = toml_of(session, text);
    return file ? met_history_read(session, file) : NULL;
}

static void round_trip(void **state)
{
    (void)state;
    met_text text = met_text_new(session->arena);
    const met_history *history = history_of(FILE_TEXT);
    assert_non_null(history);
    assert_int_equal(history->version_count, 1);
    assert_int_equal(history->versions[0].classes[0].points, 40);
    assert_int_equal(history->versions[0].classes[0].equations, 7);
    assert_true(history->versions[0].classes[0].coverage == 0.975);
    met_history_write(&text, history);
    assert_string_equal(met_text_done(&text), FILE_TEXT);
}

static void appending(void **state)
{
    (void)state;
    const met_history *history = history_of(FILE_TEXT);
    met_class_metrics now = history->versions[0].classes[0];
    met_history_version version = { "2031-01-01", "ab", 1, &now };
    now.coverage = 0.97500001; /* as the file has it, the same */
    assert_ptr_equal(met_history_append(session, history, &version), history);
    now.points = 41;
    const met_history *longer = met_history_append(session, history, &version);
    assert_int_equal(longer->version_count, 2);
    assert_string_equal(longer->versions[1].date, "2031-01-01");
    now.points = 40;
    version.digest = "cd";
    assert_int_equal(met_history_append(session, history, &version)->version_count, 2);
    met_text text = met_text_new(session->arena);
    now.points = 38;
    met_history_print(&text, met_history_append(session, history, &version));
    assert_non_null(strstr(met_text_done(&text), " 38-2 "));
}

static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        { "[[version]]\ndate = '2030-1-2'\ndigest = 'ab'\nclass = []\n", "a date is written YYYY-MM-DD" },
        { "[[version]]\ndate = '2030-01-02'\nclass = []\n", "`digest`" },
        { "[[version]]\ndate = '2030-01-02'\ndigest = 'ab'\nclass = [3]\n", "a class" },
        { "[[version]]\ndate = '2030-01-02'\ndigest = 'ab'\nclass = [{ id = 'a' }]\n", "`families`" },
        { "[other]\n", "`other`" },
        { "version = 3\n", "version" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        met_session_clear_diagnostics(session);
        if (history_of(cases[i].text))
            fail_msg("%s", cases[i].text);
        expect_diag(session, MET_DIAG_field, cases[i].words);
    }
    assert_true(met_history_date_valid("1999-12-31"));
    assert_false(met_history_date_valid("1999-12-311"));
    assert_false(met_history_date_valid("1999-12-3"));
    assert_false(met_history_date_valid(""));
}

/* --- Forks --- */

static const char *const residual[] = { "odd" }, *const one_kernel[] = { "a" }, *const other_kernel[] = { "b" }, *const file[] = { "x.c" };
static const met_op_id add[] = { MET_OP_add }, mul[] = { MET_OP_mul };
static const met_rule_element plus = { .op_count = 1, .ops = add }, times = { .op_count = 1, .ops = mul };

static void forks(void **state)
{
    (void)state;
    static const char *const values[] = { "8" };
    static const met_family_param param = { .name = "d", .kind = MET_PARAM_COMPILE };
    met_family_point points[] = { { .values = values, .how = MET_HOW_COPY, .files = { 1, file } }, { .values = values } };
    met_family family = { .id = "f", .param_count = 1, .params = &param, .point_count = 2, .points = points };
    const met_family *families[] = { &family };
    met_rule a = { .id = "r", .element_count = 1, .elements = &plus, .kernels = { 1, one_kernel } }, b = a, c = a, d = a;
    b.id = "s";
    b.kernels.names = other_kernel;
    c.id = "same kernel";
    d.id = "other pattern";
    d.kernels.names = other_kernel;
    d.elements = &times;
    const met_rule *rules[] = { &a, &b, &c, &d };
    met_hardware classes[] = { { .id = "one", .residual = { 1, residual }, .family_count = 1, .families = families, .rule_count = 4,
                                 .rules = rules }, { .id = "two" } };
    met_lkb lkb = { .session = session, .hardware_count = 2, .hardware = classes };
    met_text text = met_text_new(session->arena);
    met_forks_print(&text, &lkb);
    const char *made = strstr(met_text_done(&text), "## one");
    assert_non_null(made);
    assert_string_equal(made, "## one\n\n"
                              "- residual `odd`: no family makes it\n"
                              "- copy of `f`: d=8 in x.c\n"
                              "- twins `a` and `b`: rules `r` and `s`\n"
                              "- twins `b` and `a`: rules `s` and `same kernel`\n"
                              "\n## two\n\nNone.\n");
}

/* --- Rule 5 --- */

static void dropping(void **state)
{
    (void)state;
    met_rule pair = { .id = "pair", .element_count = 2 }, other = { .id = "other", .element_count = 2 },
             single = { .id = "single", .element_count = 1 };
    const met_rule *rules[] = { &pair, &other, &single };
    met_hardware hardware = { .id = "toy", .rule_count = 3, .rules = rules };
    met_rule_laxity laxities[] = { { .rule = &pair, .parts_s = 3, .fused_s = 2 }, { .rule = &single, .parts_s = 1, .fused_s = 1 } };
    assert_int_equal(met_rule_laxity_verdict(&laxities[0]), MET_LAXITY_KEPT);
    assert_int_equal(met_rule_laxity_verdict(&laxities[1]), MET_LAXITY_DROPPED);
    assert_ptr_equal(met_hardware_without(session->arena, &hardware, 2, laxities), &hardware); /* single nodes stay */
    laxities[0].fused_s = 3;
    assert_int_equal(met_rule_laxity_verdict(&laxities[0]), MET_LAXITY_DROPPED);
    const met_hardware *less = met_hardware_without(session->arena, &hardware, 2, laxities);
    assert_int_equal(less->rule_count, 2);
    assert_ptr_equal(less->rules[0], &other);
    laxities[0] = (met_rule_laxity){ .rule = &pair, .parts_s = 3, .fused_s = 2, .has_joules = true, .joules = -1 };
    assert_int_equal(met_rule_laxity_verdict(&laxities[0]), MET_LAXITY_CHOICE); /* wins time, loses energy: never a default */
    assert_int_equal(met_hardware_without(session->arena, &hardware, 1, laxities)->rule_count, 2);
    laxities[0].joules = 0.5;
    assert_int_equal(met_rule_laxity_verdict(&laxities[0]), MET_LAXITY_KEPT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(round_trip, setup, teardown), cmocka_unit_test_setup_teardown(appending, setup, teardown),
        cmocka_unit_test_setup_teardown(refused, setup, teardown),    cmocka_unit_test_setup_teardown(forks, setup, teardown),
        cmocka_unit_test_setup_teardown(dropping, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
