/* Amplification by perturbation where it is known, and what the evidence store keeps of it. */
#include <stdio.h>
#include <unistd.h>

#include <sqlite3.h>

#include "circuits.h"

#include "budget/tolerance.h"
#include "host/perturb.h"

/* The last measurement that was kept, and how many there were. */
typedef struct keeper {
    met_amplification last;
    int kept, asked;
} keeper;

static void keep(void *context, const met_amplify_key *key, const met_amplification *found)
{
    keeper *k = context;
    assert_int_equal(strlen(key->computes), 64);
    assert_int_equal(strlen(key->data), 64);
    k->last = *found;
    k->kept++;
}

static const met_amplification *find_none(void *context, const met_amplify_key *key)
{
    (void)key;
    ((keeper *)context)->asked++;
    return NULL;
}

static const met_budget *budget_of(met_session *session, const char *program, size_t count, const met_named_tensor *ins,
                                   const met_budget_measure *measure, bool whole)
{
    static const met_eval_options options = { .dtype = "f32", .fill = "ones" };
    met_point point;
    assert_true(met_eval_point(session, &options, &point));
    const met_settled *settled = met_settled_new(circuit_of(session, program, ""), &point);
    met_budget_request request = { .options = &options, .in_count = count, .ins = ins, .measure = measure, .whole = whole };
    const met_budget *budget = settled ? met_budget_of(settled, &request) : NULL;
    if (!budget)
        fail_msg("%s\n%s", program, met_session_diagnostics_text(session));
    return budget;
}

static keeper measured(const char *program, size_t count, const double *values, const uint64_t *shape, size_t rank)
{
    met_session *session = met_session_new();
    keeper k = { .kept = 0 };
    met_budget_measure measure = { find_none, keep, &k, 3 };
    met_named_tensor in = { "w", NULL };
    if (count) {
        met_tensor *tensor = met_tensor_new(session, "f64", rank, shape);
        memcpy(tensor->values, values, count * sizeof *values);
        in.tensor = tensor;
    }
    budget_of(session, program, count ? 1 : 0, &in, &measure, true);
    met_session_free(session);
    return k;
}

/* A step of 2^-12 in double leaves 40 bits of the difference. */
static void expect_ratio(double got, double want)
{
    if (!(fabs(got - want) <= 1e-9 * want))
        fail_msg("got %.17g, want %.17g", got, want);
}

/* Of a diagonal matrix the leading singular vector is an axis: on ones, diag(1, 2, 3, 4) has results of root mean square
 * √(30/4), and moves them by 4 in the last direction. */
static void test_known(void **state)
{
    (void)state;
    static const double diagonal[16] = { 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4 };
    static const uint64_t shape[2] = { 4, 4 };
    keeper k = measured("x: n=4\ny = 'n, m=4 n -> m'(x, @w)\n-> y", 16, diagonal, shape, 2);
    assert_int_equal(k.kept, 1);
    assert_int_equal(k.last.directions, MET_AMPLIFY_DIRECTIONS);
    assert_int_equal(k.last.rejected, 0);
    /* 40 iterations leave (3/4)^80 of the other directions */
    expect_ratio(k.last.singular, 4 / sqrt(30.0 / 4));
    assert_true(k.last.max == k.last.singular && k.last.median < k.last.max);
    k = measured("x: n=5\ny = neg(x)\n-> y", 0, NULL, NULL, 0);
    expect_ratio(k.last.max, 1);
    expect_ratio(k.last.median, 1);
    assert_true(k.last.spread < 1e-9);
    /* too many elements for a Jacobian: the last direction is in the span of the others */
    k = measured("x: n=257\ny = neg(x)\n-> y", 0, NULL, NULL, 0);
    expect_ratio(k.last.singular, 1);
    /* a result that is 0 has no relative change */
    k = measured("x: n=4\ny = map['n -> n'](x, { a - a })\n-> y", 0, NULL, NULL, 0);
    assert_int_equal(k.last.directions, 0);
}

/* Steps of one in thousands: what rounds to integers moves by all or nothing. */
static void test_not_linear(void **state)
{
    (void)state;
    keeper k = measured("x: n=3\ny = map['n -> n'](x, { rint(a*900 + i_n*0.3) })\n-> y", 0, NULL, NULL, 0);
    assert_int_equal(k.kept, 1);
    assert_true(k.last.rejected > MET_AMPLIFY_DIRECTIONS / 2);
}

/* --- The store --- */

static const char *scratch(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "/tmp/met_amplify.%d.%s", (int)getpid(), name);
    remove(path);
    return path;
}

static const char digits[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

static void test_store(void **state)
{
    (void)state;
    const char *path = scratch("store");
    met_session *session = met_session_new();
    met_amplify_key key = { digits, digits, "softmax", 1, 2, 7 }, other = key;
    met_amplification put = { .directions = 17, .rejected = 2, .max = 3, .q99 = 2.5, .median = 1, .spread = 0.25, .singular = 3 }, got;
    met_evidence *evidence = met_evidence_open(session, path, true);
    assert_non_null(evidence);
    assert_false(met_perturb_find(evidence, &key, &got));
    assert_true(met_perturb_put(evidence, &key, &put, 5));
    assert_true(met_perturb_find(evidence, &key, &got));
    assert_true(got.stored && got.directions == 17 && got.rejected == 2 && got.max == 3 && got.q99 == 2.5 && got.median == 1 &&
                got.spread == 0.25 && got.singular == 3);
    other.seed = 8;
    assert_false(met_perturb_find(evidence, &other, &got));
    put.max = 2; /* below the 99 %: no measurement gives that */
    assert_false(met_perturb_put(evidence, &other, &put, 5));
    assert_true(met_session_error_count(session) > 0);
    met_evidence_close(evidence);
    remove(path);
    met_session_free(session);
}

/* A store from before there were such measurements: it is read as it is, and gets their table when something is written. */
static void test_older_store(void **state)
{
    (void)state;
    const char *path = scratch("older");
    met_session *session = met_session_new();
    met_evidence_close(met_evidence_open(session, path, true));
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "DROP TABLE perturbation; PRAGMA user_version = 1", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    met_amplify_key key = { digits, digits, "linear", 0, 0, 0 };
    met_amplification put = { .directions = 1, .max = 1, .q99 = 1, .median = 1 }, got;
    met_evidence *evidence = met_evidence_open(session, path, false);
    assert_non_null(evidence);
    assert_false(met_perturb_find(evidence, &key, &got));
    met_evidence_close(evidence);
    evidence = met_evidence_open(session, path, true);
    assert_true(evidence && met_perturb_put(evidence, &key, &put, 0) && met_perturb_find(evidence, &key, &got));
    met_evidence_close(evidence);
    assert_int_equal(met_session_error_count(session), 0);
    remove(path);
    met_session_free(session);
}

/* What was measured once is found again, and not once its data are others. */
static void test_found_again(void **state)
{
    (void)state;
    const char *path = scratch("again");
    static const double ones[3] = { 1, 1, 1 }, twos[3] = { 2, 2, 2 };
    for (int round = 0; round < 3; round++) {
        met_session *session = met_session_new();
        met_evidence *evidence = met_evidence_open(session, path, true);
        assert_non_null(evidence);
        met_perturb *perturb = met_perturb_new(evidence, 3, round == 0, 0);
        static const uint64_t shape[1] = { 3 };
        met_tensor *tensor = met_tensor_new(session, "f64", 1, shape);
        memcpy(tensor->values, round < 2 ? ones : twos, sizeof ones);
        met_named_tensor in = { "x", tensor };
        const met_budget *budget = budget_of(session, "x: n=3\ny = tanh(x)\n-> y", 1, &in, met_perturb_measure(perturb), false);
        assert_true(met_perturb_good(perturb));
        assert_int_equal(budget->groups[0].reads[0].measures, round < 2);
        if (round < 2)
            assert_int_equal(budget->groups[0].reads[0].estimates[0].stored, round == 1);
        met_evidence_close(evidence);
        met_session_free(session);
    }
    remove(path);
}

/* --- Verdicts --- */

static void test_verdicts(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    const met_budget *budget = budget_of(session, "x: n=8\ny = sum[n](x)\n-> y", 0, NULL, NULL, false);
    met_budget_report report = { .side_count = 1, .sides = { budget } };
    report.bounds = met_budget_compose(session->arena, 1, report.sides, MET_TERMS_BOUND);
    /* a sum of eight ones: exact, so its budget of three roundings is never approached */
    met_tolerance t = met_tolerance_of(&report, 0);
    assert_true(t.observed == 0 && t.bound > 0 && t.unapproached && !t.vacuous && !met_budget_broken(&report));
    assert_true(t.bound <= 1.01 * 3 * 0x1p-24 * 8);
    report.side_count = 2;
    report.sides[1] = budget;
    report.bounds = met_budget_compose(session->arena, 2, report.sides, MET_TERMS_BOUND);
    /* two implementations: both may be off */
    assert_true(met_tolerance_of(&report, 0).bound >= 2 * t.bound);
    /* a tolerance as large as the values says nothing */
    ((met_budget_result *)budget->results)[0].rms = t.bound / 2;
    assert_true(met_tolerance_of(&report, 0).vacuous);
    /* beyond what is proven */
    report.side_count = 1;
    ((met_budget_result *)budget->results)[0].measured = 1;
    assert_true(met_budget_broken(&report));
    met_session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),       cmocka_unit_test(test_not_linear), cmocka_unit_test(test_store),
        cmocka_unit_test(test_older_store), cmocka_unit_test(test_found_again), cmocka_unit_test(test_verdicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
