/* What the generator can make, as a list: every launch of every program is in it, and every point of it is reached by some
 * program, for every class. */
#include "form_samples.h"
#include "models.h"

typedef struct tally {
    met_session *session;
    const met_class *class;
    uint32_t count;
    const met_form_point *points;
    bool *reached;
} tally;

static void count_forms(void *context, const char *name, const met_program *program)
{
    tally *t = context;
    for (uint32_t l = 0; l < program->launch_count; l++) {
        const met_form_point *point = met_form_of(program, l);
        uint32_t p = 0;
        while (p < t->count && !same_point(point, &t->points[p]))
            p++;
        if (p == t->count)
            fail_msg("%s: launch %u is `%s`, which is not in the list", name, (unsigned)l, point_text(t->session, point));
        t->reached[p] = true;
    }
}

static void count_models(const form_taker *t)
{
    static const char *const modes[] = { "prefill", "decode" };
    static const char config[] = "{\"model_type\": \"llama\", \"hidden_size\": 16, \"intermediate_size\": 24, \"num_attention_heads\": 4,"
                                 "\"num_key_value_heads\": 2, \"num_hidden_layers\": 1, \"vocab_size\": 40, \"rope_theta\": 10000}";
    for (int m = 0; m < 2; m++) {
        met_point point = met_point_of(MET_BF16);
        each_planner(t, modes[m], model_of(t->session, "llama", config, modes[m], m ? "c=5" : "n=6"), &point);
    }
}

static void both_ways(void **state)
{
    (void)state;
    for (size_t c = 0; c < met_class_count; c++) {
        met_session *session = met_session_new();
        tally t = { .session = session, .class = &met_class_table[c] };
        t.count = met_form_points(t.class, &t.points, session->arena);
        t.reached = met_arena_alloc(session->arena, t.count, sizeof *t.reached);
        form_taker taker = { session, t.class, count_forms, &t };
        each_sample(&taker);
        count_models(&taker);
        met_text missing = met_text_new(session->arena);
        for (uint32_t p = 0; p < t.count; p++)
            if (!t.reached[p])
                met_text_format(&missing, "\n  %s", point_text(session, &t.points[p]));
        if (missing.length)
            fail_msg("%s: nothing reaches%s", t.class->name, met_text_done(&missing));
        met_session_free(session);
    }
}

/* No point is listed twice. */
static void points_differ(void **state)
{
    (void)state;
    met_arena *arena = met_arena_new();
    const met_form_point *points;
    uint32_t count = met_form_points(&met_class_table[0], &points, arena);
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = 0; b < a; b++)
            assert_false(same_point(&points[a], &points[b]));
    met_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways),
        cmocka_unit_test(points_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
