/* No field of the blueprint is idle: changing, deleting or doubling any value of any file either is refused or changes the digest
 * of the blueprint. A sample by a fixed seed; MET_MUTATIONS=N takes N of them. */
#include "mutations.h"

#include "plan/lowering.h"

enum { SAMPLES = 300 };

/* Its digest; "refused" if it is. */
static const char *digest_of(const met_value *const *trees, size_t file, copier *c, char *ret_digest)
{
    const met_lkb *lkb = read_changed(trees, file, c);
    assert_true(lkb || met_session_error_count(c->to) > 0);
    snprintf(ret_digest, 65, "%s", lkb ? lkb->digest : "refused");
    met_session_free(c->to);
    return ret_digest;
}

static void every_field_counts(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    const met_value *trees[FILES];
    word_list words[FILES];
    load_files(session, trees);
    for (size_t f = 0; f < FILES; f++) {
        words[f] = (word_list){ .arena = session->arena };
        list_words(&words[f], trees[f]);
    }
    char before[65], after[65];
    digest_of(trees, 0, &(copier){ .place = UINT32_MAX }, before);
    assert_string_not_equal(before, "refused");
    const char *asked = getenv("MET_MUTATIONS");
    uint32_t samples = asked ? (uint32_t)atoi(asked) : SAMPLES, refused = 0, changed = 0, idle = 0;
    uint64_t seed = 4;
    for (uint32_t s = 0; s < samples; s++) {
        size_t f = s % FILES;
        copier c = { .place = (uint32_t)(next(&seed) % count_places(trees[f])), .change = (change)(next(&seed) % CHANGES) };
        c.other = words[f].words.at[next(&seed) % words[f].words.count];
        digest_of(trees, f, &c, after);
        bool same = strcmp(before, after) == 0;
        refused += strcmp(after, "refused") == 0;
        changed += !same && strcmp(after, "refused") != 0;
        idle += same && !c.same;
        if (same && !c.same)
            print_error("%s, %s, change %d: nothing changes\n", files[f].path, c.what, c.change);
    }
    print_message("%u changes: %u refused, %u change the digest\n", samples, refused, changed);
    assert_int_equal(idle, 0);
    met_session_free(session);
}

/* --- Plans --- */

enum { MODELS = 7, MODES = 4, PLANS = MODELS * MODES + 1 };

/* The toy circuits of architectures that differ in their ops, in all modes; the encoder last. */
static void load_circuits(met_session *session, const met_circuit **circuits, const char **modes)
{
    static const char *const names[MODELS] = { "llama", "qwen2", "mixtral", "deepseek_v3", "bamba", "gemma2", "qwen2_moe" };
    static const char *const all_modes[MODES] = { "prefill", "decode", "multi_seq", "verify" };
    for (size_t i = 0; i < PLANS; i++) {
        bool encoder = i == PLANS - 1;
        modes[i] = encoder ? "encode" : all_modes[i % MODES];
        circuits[i] = met_model_load(session, &(met_model_request){ .name = encoder ? "bert" : names[i / MODES], .mode = modes[i], .toy = true });
        assert_non_null(circuits[i]);
    }
}

/* Whether any plan of the class differs from those of `before`, or is refused. With `before` empty it is filled in. */
static bool plans_differ(const met_lkb *lkb, const met_circuit *const *circuits, const char *const *modes, const char **before)
{
    bool differ = false;
    for (size_t i = 0; i < PLANS && !differ; i++) {
        met_lower_options options = { .lkb = lkb, .hardware = met_lkb_hardware(lkb, "cpu-avx2"), .mode = modes[i], .rows = 1 };
        const met_lowering *lowering = met_lower(circuits[i], MET_LOWER_GREEDY, &options);
        const char *digest = lowering ? met_lowering_digest(lowering) : "refused";
        if (!before[i])
            before[i] = met_arena_text(circuits[i]->arena, digest, strlen(digest));
        differ = strcmp(digest, before[i]) != 0;
    }
    return differ;
}

/* Rules that change no plan of these circuits by themselves: what a setting or a lever opts into, what has an example of its own,
 * a twin by rows; and single ops that none of the architectures has alone. */
static bool opted(const met_rule *rule)
{
    return rule->lever || rule->example || rule->repeat != MET_REPEAT_ONCE || (rule->element_count == 1 && rule->priority <= 20);
}

static void every_fused_rule_changes_a_plan(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    const met_value *trees[FILES];
    const met_circuit *circuits[PLANS];
    const char *modes[PLANS], *before[PLANS] = { NULL };
    load_files(session, trees);
    load_circuits(session, circuits, modes);
    copier plain = { .place = UINT32_MAX };
    const met_lkb *whole = read_changed(trees, 1, &plain);
    assert_non_null(whole);
    assert_false(plans_differ(whole, circuits, modes, before));
    for (size_t i = 0; i < PLANS; i++)
        assert_string_not_equal(before[i], "refused");
    const met_value *rules = met_value_get(trees[1], "rule");
    uint32_t place = 1, idle = 0; /* the place of a rule: after the field and all before it */
    for (size_t k = 0; k < rules->items.count; k++) {
        copier c = { .place = place, .change = DELETE };
        place += 1 + count_places(rules->items.at[k]);
        const met_rule *rule = NULL;
        for (uint32_t i = 0; i < met_lkb_hardware(whole, "cpu-scalar")->rule_count; i++)
            if (met_str_is(met_value_get(rules->items.at[k], "id")->string, met_lkb_hardware(whole, "cpu-scalar")->rules[i]->id))
                rule = met_lkb_hardware(whole, "cpu-scalar")->rules[i];
        assert_non_null(rule);
        const met_lkb *without = opted(rule) ? NULL : read_changed(trees, 1, &c);
        if (without && !plans_differ(without, circuits, modes, before)) {
            print_error("without the rule `%s` all plans are the same\n", rule->id);
            idle++;
        }
        if (!opted(rule))
            met_session_free(c.to);
    }
    met_session_free(plain.to);
    met_session_free(session);
    assert_int_equal(idle, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_field_counts), cmocka_unit_test(every_fused_rule_changes_a_plan) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
