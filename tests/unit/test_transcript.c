/* Transcripts: matching, margins, distances and statistics, against values worked out by hand; and that controls that fail are
 * said to have failed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "met/transcript.h"

enum { WORDS = 4, ROWS = 4 };

/* Two tokens of prompt and three that follow: four rows. */
typedef struct sample {
    uint32_t prompt[2], tokens[3];
    double scores[ROWS * WORDS];
    float bytes[ROWS * WORDS];
} sample;

static met_transcript transcript_of(sample *s)
{
    for (size_t i = 0; i < ROWS * WORDS; i++)
        s->bytes[i] = (float)s->scores[i];
    return (met_transcript){ .prompt_count = 2, .prompt = s->prompt, .count = 3, .tokens = s->tokens, .row_count = ROWS,
                             .vocabulary = WORDS, .scores = s->scores, .format = "f32", .size = 4,
                             .bytes = (const unsigned char *)s->bytes };
}

static const sample plain = { .prompt = { 1, 2 }, .tokens = { 3, 0, 1 },
                              .scores = { 0, 1, 0, 0, /**/ 1, 2, 3, 5, /**/ 4, 3, 0, 0, /**/ 0, 9, 8, 1 } };

static void tokens_that_match(void **state)
{
    (void)state;
    sample x = plain, y = plain;
    met_transcript a = transcript_of(&x), b = transcript_of(&y);
    met_transcript_match all = met_transcript_compare(&a, &b);
    assert_int_equal(all.same, 3);
    assert_int_equal(all.positions, 3);
    assert_false(all.chose);
    assert_true(met_transcript_rate(&all) == 1);
    y.tokens[1] = 1;
    y.tokens[2] = 2; /* the second difference does not count */
    y.scores[2 * WORDS + 0] = 2.5;
    b = transcript_of(&y);
    met_transcript_match found = met_transcript_compare(&a, &b);
    assert_int_equal(found.same, 1);
    assert_true(met_transcript_rate(&found) == 1.0 / 3);
    assert_true(found.chose && found.a_token == 0 && found.b_token == 1);
    assert_true(found.a_margin == 1 && found.b_margin == 0.5 && found.apart == 1.5); /* row 2 chooses token 1 */
    b.count = 1;
    found = met_transcript_compare(&a, &b);
    assert_true(found.same == 1 && found.positions == 3 && !found.chose);
    a.count = b.count = 0;
    found = met_transcript_compare(&a, &b);
    assert_true(met_transcript_rate(&found) == 1);
}

static void margins(void **state)
{
    (void)state;
    static const double scores[] = { -3, 2, 7, 7, 6.5 }, falling[] = { 5, 1 }, one[] = { 4 };
    uint32_t top[3];
    assert_true(met_score_margin(5, scores) == 0);
    assert_true(met_score_margin(2, scores) == 5);
    assert_true(met_score_margin(2, falling) == 4);
    assert_true(met_score_margin(1, one) == 0);
    met_score_top(5, scores, 3, top);
    assert_true(top[0] == 2 && top[1] == 3 && top[2] == 4);
}

/* x = (0, ln 2), y = (0, 0): softmax (1/3, 2/3) against (1/2, 1/2), so the divergence is ln 2 + (2/3)·ln 2 − ln 3. Doubles of a
 * few units round a few times: the comparison leaves 16 of their last places. */
static void distances(void **state)
{
    (void)state;
    const double two = log(2), eps = 16 * 0x1p-52;
    double x[] = { 0, two }, y[] = { 0, 0 }, u[] = { 3, 4 }, v[] = { 4, 3 };
    float fx[] = { 0, 1 }, fy[] = { 0, 0 };
    met_transcript a = { .prompt_count = 1, .row_count = 1, .vocabulary = 2, .scores = x, .format = "f32", .size = 4,
                         .bytes = (const unsigned char *)fx };
    met_transcript b = a;
    b.scores = y;
    b.bytes = (const unsigned char *)fy;
    met_score_distance s = met_score_compare(&a, &b, 0);
    assert_int_equal(s.different, 1);
    assert_true(s.max_abs == two && s.relative == 1);
    assert_true(fabs(s.divergence - (two + 2 * two / 3 - log(3))) < eps);
    a.scores = u;
    b.scores = v;
    s = met_score_compare(&a, &b, 0);
    assert_true(s.max_abs == 1 && fabs(s.relative - sqrt(2) / 5) < eps && fabs(s.cosine - 24.0 / 25) < eps);
    b.format = "bf16"; /* other formats have no bytes in common */
    assert_int_equal(met_score_compare(&a, &b, 0).different, 2);
    s = met_score_compare(&a, &a, 0);
    assert_true(s.different == 0 && s.max_abs == 0 && s.relative == 0 && s.divergence == 0 && s.cosine == 1);
    b.scores = (double[]){ NAN, 1 };
    s = met_score_worst(s, met_score_compare(&a, &b, 0));
    assert_true(isnan(s.max_abs) && isnan(s.relative) && isnan(s.divergence) && isnan(s.cosine));
}

static void bytes_not_numbers(void **state)
{
    (void)state;
    sample x = plain, y = plain;
    y.scores[3 * WORDS] = -0.0; /* equal to 0, but not the same */
    met_transcript a = transcript_of(&x), b = transcript_of(&y);
    assert_int_equal(met_scores_first_difference(&a, &b), 3);
    assert_true(met_score_compare(&a, &b, 3).max_abs == 0);
    assert_int_equal(met_scores_first_difference(&a, &a), ROWS);
}

static void statistics(void **state)
{
    (void)state;
    static const double values[] = { 0.5, 1, 0.25, 1 };
    assert_true(met_mean(4, values) == 0.6875);
    assert_true(met_median(4, values) == 0.75);
    assert_true(met_median(3, values) == 0.5);
    assert_true(met_median(1, values) == 0.5);
}

/* Two prompts; the second transcript is another from its second token on. */
static void verdicts(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    sample x[2] = { plain, plain }, y[2] = { plain, plain };
    y[1].tokens[1] = 1;
    met_transcript a[2] = { transcript_of(&x[0]), transcript_of(&x[1]) }, b[2] = { transcript_of(&y[0]), transcript_of(&y[1]) };
    met_transcript_control control = { MET_CONTROL_PROMPT, 'a', 0, 1, 1, true };
    met_transcript_side side = { "m", "w", "none@interpreter", "f32", false };
    met_transcript_diff d = { .a = { side, "seed 0", "0", 2, a }, .b = { side, "seed 0", "0", 2, b },
                              .fed_to_b = a, .why = "for a test", .tolerance_why = "for a test", .tally = met_transcript_tally_of(session, 2, a, b),
                              .control_count = 1, .controls = &control };
    assert_true(d.tally.diverged == 1 && d.tally.mean == (1 + 1.0 / 3) / 2 && d.tally.matches[1].same == 1);
    assert_false(met_transcript_diff_same(&d)); /* though no score differs */
    assert_true(met_transcript_diff_sound(&d));
    assert_non_null(strstr(met_transcript_diff_text(session, &d), "prompt 2: 1 of 3, then a has 0"));
    control.passed = false;
    assert_false(met_transcript_diff_sound(&d));
    assert_non_null(strstr(met_transcript_diff_text(session, &d), "NOT DETECTED"));
    assert_non_null(strstr(met_transcript_diff_json(session, &d), "\"passed\": false"));
    control.passed = true;
    d.tally = met_transcript_tally_of(session, 2, a, a);
    d.promise = MET_TRANSCRIPT_SAME;
    assert_true(met_transcript_diff_same(&d));
    assert_non_null(strstr(met_transcript_diff_text(session, &d), "the same, as expected"));
    d.kept_compared = true; /* and caches differ */
    assert_false(met_transcript_diff_same(&d));
    assert_non_null(strstr(met_transcript_diff_text(session, &d), "a mistake of met"));
    y[0].scores[0] = 0.25; /* the first row of the first prompt */
    b[0] = transcript_of(&y[0]);
    d.fed_to_b = b;
    assert_true(met_transcript_diff_at(&d, 0).different == 1 && met_transcript_diff_at(&d, 0).max_abs == 0.25);
    assert_true(met_transcript_diff_at(&d, 1).different == 0);
    y[0].scores[ROWS * WORDS - 1] = 3; /* the row that chooses the third token */
    b[0] = transcript_of(&y[0]);
    assert_true(met_transcript_diff_at(&d, 2).different == 0 && met_transcript_diff_at(&d, 3).max_abs == 2);
    d.derived = true; /* of prompts alone */
    d.tolerance = 0.25;
    assert_true(met_transcript_diff_within(&d));
    assert_non_null(strstr(met_transcript_diff_text(session, &d), "at most 0.25"));
    d.tolerance = 0.125;
    assert_false(met_transcript_diff_within(&d));
    assert_non_null(strstr(met_transcript_diff_text(session, &d), "BEYOND"));
    met_session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_that_match), cmocka_unit_test(margins),    cmocka_unit_test(distances),
        cmocka_unit_test(bytes_not_numbers), cmocka_unit_test(statistics), cmocka_unit_test(verdicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
