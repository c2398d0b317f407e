/* Transcripts of toys: ways whose records are the same give the same bytes; formats, one weight's last place and blindness to
 * tokens are found; and what a toy says is what plain loops in double say. */
#include "decoder.h"

#include <unistd.h>

#include "host/model_diff.h"
#include "host/model_run_parts.h"

#include "on_session.h"

enum { TOKENS = 8 };

static met_model_run *run_of(const char *model, const char *planner, const char *hardware, const char *dtype)
{
    met_model_run_request request = { .model = { .name = model, .toy = true }, .seed = 7, .options = { .dtype = dtype },
                                      .way = { .planner = planner, .hardware = hardware, .threads = 2, .poison = true } };
    met_model_run *run = met_model_run_new(session, &request);
    if (!run)
        fail_msg("%s, %s@%s: %s", model, planner, hardware, met_session_diagnostics_text(session));
    return run;
}

static met_model_run *interpreted(const char *model, const char *dtype)
{
    return run_of(model, "none", "interpreter", dtype);
}

/* Frees both runs. */
static const met_transcript_diff *compare(met_model_run *a, met_model_run *b, uint64_t prompts, uint64_t tokens)
{
    const met_prompt_set *set = met_prompts_of_seed(session, 7, prompts, met_model_run_vocabulary(a));
    const met_transcript_diff *diff = set ? met_model_diff_run(session, a, b, set, tokens, 7) : NULL;
    if (!diff)
        fail_msg("%s", met_session_diagnostics_text(session));
    met_model_run_free(a);
    met_model_run_free(b);
    return diff;
}

/* --- The same bytes --- */

static void same_records(void **state)
{
    (void)state;
    static const char *const models[] = { "llama", "qwen3", "mixtral", "deepseek_v3", "gemma2", "bamba" };
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        const met_transcript_diff *d = compare(run_of(models[m], "none", "cpu", "f32"), interpreted(models[m], "f32"), 2, 3);
        if (d->promise != MET_TRANSCRIPT_SAME || !d->kept_compared || !met_transcript_diff_same(d) || !met_transcript_diff_sound(d))
            fail_msg("%s\n%s", models[m], met_transcript_diff_text(session, d));
    }
}

/* The best kernels of this machine by two planners. */
static void same_plans(void **state)
{
    (void)state;
    const met_transcript_diff *d = compare(run_of("llama", "greedy", "cpu", "f32"), run_of("llama", "none", "cpu", "f32"), 2, 3);
    assert_true(d->promise == MET_TRANSCRIPT_SAME && met_transcript_diff_same(d) && met_transcript_diff_sound(d));
}

/* --- Other bytes --- */

static void formats(void **state)
{
    (void)state;
    const met_transcript_diff *d = compare(interpreted("llama", "f32"), interpreted("llama", "bf16"), 6, 16);
    assert_true(d->promise == MET_TRANSCRIPT_OPEN && !d->kept_compared);
    assert_false(met_transcript_diff_same(d));
    assert_true(met_transcript_diff_sound(d));
    assert_true(d->tally.diverged > 0 && d->tally.mean < 1);
    for (size_t p = 0; p < d->a.count; p++) {
        const met_transcript_match *m = &d->tally.matches[p];
        /* who chooses otherwise has scores that are apart by at least half of what decided on either side */
        assert_true(!m->chose || 2 * m->apart >= m->a_margin + m->b_margin);
    }
    met_score_distance worst = met_transcript_diff_at(d, 0);
    assert_true(worst.max_abs > 0 && worst.divergence > 0 && worst.cosine < 1);
}

/* Fed the same tokens, the side that chose others is where it would have been: before its first difference its scores are
 * those of its own transcript, at and after it those of a prompt with a's tokens. */
static void feeding(void **state)
{
    (void)state;
    const met_transcript_diff *d = compare(interpreted("llama", "f32"), interpreted("llama", "bf16"), 6, 16);
    met_model_run *again = interpreted("llama", "bf16");
    size_t p = 0;
    while (p < d->a.count && d->tally.matches[p].same == d->tally.matches[p].positions)
        p++;
    assert_true(p < d->a.count);
    const met_transcript *a = &d->a.at[p], *free_b = &d->b.at[p], *fed = &d->fed_to_b[p];
    size_t before = a->prompt_count + d->tally.matches[p].same, row = before * a->vocabulary * fed->size;
    assert_memory_equal(free_b->bytes, fed->bytes, row); /* the row that chooses otherwise is the last of these */
    uint32_t tokens[64];
    memcpy(tokens, a->prompt, a->prompt_count * sizeof *tokens);
    memcpy(tokens + a->prompt_count, a->tokens, (a->count - 1) * sizeof *tokens);
    met_course whole;
    assert_true(met_course_run(again, &(met_prompt){ a->prompt_count + a->count - 1, tokens }, 0, NULL, &whole));
    assert_int_equal(whole.transcript.row_count, fed->row_count);
    assert_memory_equal(whole.transcript.bytes, fed->bytes, fed->row_count * fed->vocabulary * fed->size);
    met_model_run_free(again);
}

/* The last place of one weight: its scores are others, which is said even where no token is. */
static void one_place(void **state)
{
    (void)state;
    static const char *const names[] = { "norm", "layers.0.attn_norm" };
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        met_model_run *a = interpreted("llama", "f32"), *b = interpreted("llama", "f32");
        double *weight = met_model_run_weight(b, names[n])->values;
        *weight = (double)nextafterf((float)*weight, INFINITY);
        const met_transcript_diff *d = compare(a, b, 4, TOKENS);
        assert_false(met_transcript_diff_same(d));
        assert_true(met_transcript_diff_sound(d));
        assert_int_equal(d->tally.diverged, 0);
        /* equal requests promise equal bytes: that they are not is then said to be a mistake */
        assert_int_equal(d->promise, MET_TRANSCRIPT_SAME);
        assert_non_null(strstr(met_transcript_diff_text(session, d), "a mistake of met"));
    }
}

/* A model to which all tokens are alike: what is compared then says nothing of tokens, and the control says that. */
static void blind(void **state)
{
    (void)state;
    met_model_run *a = interpreted("llama", "f32"), *b = interpreted("llama", "f32");
    const met_tensor *table = met_model_run_weight(b, "tok_embeddings");
    for (size_t i = 0; i < table->count; i++)
        table->values[i] = table->values[i % table->shape[1]];
    const met_transcript_diff *d = compare(a, b, 4, TOKENS);
    assert_false(met_transcript_diff_sound(d));
    for (size_t c = 0; c < d->control_count; c++)
        assert_int_equal(d->controls[c].passed, !(d->controls[c].kind == MET_CONTROL_PROMPT && d->controls[c].side == 'b'));
}

/* --- Known answers --- */

static arrays *weights_of(const met_model_run *run)
{
    arrays *a = met_arena_alloc(session->arena, 1, sizeof *a);
    a->session = session;
    a->count = run->weights.count;
    memcpy(a->at, run->weights.at, a->count * sizeof *a->at);
    return a;
}

/* The toy of llama as its file has it, in double. */
static void known(void **state)
{
    (void)state;
    met_model_run *run = interpreted("llama", "f64");
    decoder c = { .layers = 2, .m = 24, .g = 2, .r = 2, .d = 6, .f = 20, .v = 37, .eps = 1e-6, .theta = 10000, .factor = 8, .low = 1,
                  .high = 4, .original = 16, .tied = true, .weights = weights_of(run) };
    static const uint32_t first[] = { 3, 17, 4, 25, 9 };
    met_prompt prompt = { 5, first };
    met_course course;
    caches kept;
    double logits[64];
    assert_true(met_course_run(run, &prompt, TOKENS, NULL, &course));
    const met_transcript *t = &course.transcript;
    assert_int_equal(t->row_count, prompt.count + TOKENS - 1);
    uint32_t token = first[0];
    for (size_t row = 0; row < t->row_count; row++) {
        ref_token(&c, (int)row, (int)token, &kept, logits);
        expect_near("scores", (size_t)c.v, t->scores + row * t->vocabulary, logits);
        uint32_t best = 0;
        for (uint32_t v = 1; v < (uint32_t)c.v; v++)
            best = logits[v] > logits[best] ? v : best;
        if (row + 1 >= prompt.count)
            assert_int_equal(t->tokens[row + 1 - prompt.count], best);
        token = row + 1 < prompt.count ? first[row + 1] : best;
    }
    met_model_run_free(run);
}

/* --- Checkpoints --- */

/* All weights of a run as a safetensors file: the length of its header, the header, the values. */
static void save(const met_model_run *run, const char *path)
{
    static char header[1 << 16];
    size_t length = 0, at = 0;
    for (size_t w = 0; w < run->weights.count; w++) {
        const met_tensor *t = run->weights.at[w].tensor;
        length += (size_t)snprintf(header + length, sizeof header - length, "%s\"%s\":{\"dtype\":\"F64\",\"shape\":[", w ? "," : "{",
                                   run->weights.at[w].name);
        for (size_t p = 0; p < t->rank; p++)
            length += (size_t)snprintf(header + length, sizeof header - length, "%s%llu", p ? "," : "", (unsigned long long)t->shape[p]);
        length += (size_t)snprintf(header + length, sizeof header - length, "],\"data_offsets\":[%zu,%zu]}", at, at + 8 * t->count);
        at += 8 * t->count;
    }
    header[length++] = '}';
    FILE *file = fopen(path, "wb");
    uint64_t words = length;
    assert_non_null(file);
    fwrite(&words, sizeof words, 1, file);
    fwrite(header, 1, length, file);
    for (size_t w = 0; w < run->weights.count; w++)
        fwrite(run->weights.at[w].tensor->values, 8, run->weights.at[w].tensor->count, file);
    assert_int_equal(fclose(file), 0);
}

/* Weights that were made and come back from a file are the same, whatever the seed is then. */
static void from_file(void **state)
{
    (void)state;
    char path[] = "/tmp/met-transcript-XXXXXX";
    int handle = mkstemp(path);
    assert_true(handle >= 0);
    close(handle);
    met_model_run *made = interpreted("llama", "f32");
    save(made, path);
    met_model_run_request request = { .model = { .name = "llama", .toy = true }, .checkpoint = path, .options = { .dtype = "f32" },
                                      .way = { .planner = "none", .hardware = "interpreter" } };
    met_model_run *read = met_model_run_new(session, &request);
    remove(path);
    if (!read)
        fail_msg("%s", met_session_diagnostics_text(session));
    const met_transcript_diff *d = compare(made, read, 2, 3);
    assert_true(met_transcript_diff_same(d) && met_transcript_diff_sound(d));
    assert_int_equal(d->promise, MET_TRANSCRIPT_OPEN); /* who knows what is in the file */
}

/* --- What is refused --- */

static void refused(void **state)
{
    (void)state;
    met_model_run_request whole = { .model = { .name = "llama-3.1-8b" }, .way = { .planner = "none", .hardware = "interpreter" } };
    assert_null(met_model_run_new(session, &whole));
    expect_diag(session, MET_DIAG_run, "8030261248 values in its parameters, and no weights are given");
    met_session_clear_diagnostics(session);
    met_model_run *a = interpreted("llama", "f32");
    const met_prompt_set *set = met_prompts_of_seed(session, 1, 4, met_model_run_vocabulary(a));
    assert_null(met_model_run_speak(a, set, 0));
    assert_null(met_model_run_speak(a, set, UINT64_MAX));
    expect_diag(session, MET_DIAG_prompt, "18446744073709551615 tokens cannot be asked for");
    met_session_clear_diagnostics(session);
    met_model_run_request tiny = { .model = { .name = "llama", .config = MET_ROOT_DIR "/examples/llama-tiny" },
                                   .way = { .planner = "none", .hardware = "interpreter" } };
    met_model_run *b = met_model_run_new(session, &tiny);
    assert_null(met_model_diff_run(session, a, b, set, 1, 1));
    expect_diag(session, MET_DIAG_model, "a knows 37 tokens and b");
    met_model_run_free(a);
    met_model_run_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(same_records, setup, teardown), cmocka_unit_test_setup_teardown(same_plans, setup, teardown),
        cmocka_unit_test_setup_teardown(formats, setup, teardown),      cmocka_unit_test_setup_teardown(feeding, setup, teardown),
        cmocka_unit_test_setup_teardown(one_place, setup, teardown),    cmocka_unit_test_setup_teardown(blind, setup, teardown),
        cmocka_unit_test_setup_teardown(known, setup, teardown),        cmocka_unit_test_setup_teardown(refused, setup, teardown),
        cmocka_unit_test_setup_teardown(from_file, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
