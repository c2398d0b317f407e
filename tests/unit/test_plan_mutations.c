/* No field of the blueprint is idle in plans: changing, deleting or doubling any value of any file is refused, or some plan's
 * digest is another, or some figure of a report is; or it is shown why not. What is shown: planning asks nothing of the
 * blueprint that is answered otherwise (every rule matches the same nodes and applies to the same plans, families take the same nodes
 * …), or only of rules that the plan at hand and families that no plan has, before or after. A sample by a fixed seed; MET_MUTATIONS=N takes N of
 * them. The order of rules in a file changes nothing. */
#include "plan_set.h"

#ifdef __SANITIZE_ADDRESS__
enum { SAMPLES = 24 };
#else
enum { SAMPLES = 72 };
#endif

/* --- Why nothing changes --- */

/* Answers that differ must be about rules and families that no plan has, before or after. */
typedef struct defence {
    const outcome *before, *after;
    uint32_t shadowed;
    char shadow[128]; /* a rule or family of which no plan has any */
    char what[160]; /* the first one that counts */
    bool idle;      /* one does */
} defence;

static bool is_used(const defence *d, const char *id)
{
    uint32_t used;
    return met_map_get(d->before->used, met_str_of(id), &used) || met_map_get(d->after->used, met_str_of(id), &used);
}

/* Whether those of some rules (between spaces) that the plan of a key has are all among others: which of them is first is asked
 * of them. */
static bool used_are_among(const defence *d, met_arena *arena, const char *key, const char *ids, const char *others)
{
    size_t c, t;
    char used[192];
    assert_int_equal(sscanf(key, "%*s %*s %zu %zu", &c, &t), 2);
    for (const char *at = ids + strspn(ids, " "); *at; at += strcspn(at, " ") + 1) {
        const char *id = met_arena_text(arena, at, strcspn(at, " "));
        met_text word = met_text_new(arena);
        met_text_format(&word, " %s ", id);
        if (is_used(d, used_in(used, sizeof used, id, c, t)) && !strstr(others, met_text_done(&word)))
            return false;
    }
    return true;
}

static bool same_answer(const defence *d, const answers *mine, size_t i, const answers *others)
{
    uint32_t at;
    if (!met_map_get(others->at, met_str_of(mine->keys.at[i]), &at))
        return false;
    const char *one = mine->texts.at[i], *other = others->texts.at[at];
    if (strncmp(mine->keys.at[i], "order", 5) == 0)
        return used_are_among(d, mine->arena, mine->keys.at[i], one, other) &&
               used_are_among(d, mine->arena, mine->keys.at[i], other, one);
    return strcmp(one, other) == 0;
}

static void defend(defence *d, const answers *mine, const answers *others)
{
    for (size_t i = 0; i < mine->keys.count; i++) {
        char kind[16], id[128];
        if (same_answer(d, mine, i, others))
            continue;
        size_t c, t;
        assert_int_equal(sscanf(mine->keys.at[i], "%15s %127s %zu %zu", kind, id, &c, &t), 4);
        bool rule = strcmp(kind, "rule") == 0 || strcmp(kind, "order") == 0;
        char here[192];
        bool counts = strcmp(kind, "class") == 0 || strcmp(kind, "site") == 0 || strcmp(kind, "tree") == 0 ||
                      is_used(d, rule ? used_in(here, sizeof here, id, c, t) : id);
        d->shadowed += !counts;
        if (!counts && rule && !is_used(d, id))
            snprintf(d->shadow, sizeof d->shadow, "%s", id);
        if (counts && !d->idle)
            snprintf(d->what, sizeof d->what, "%s", mine->keys.at[i]);
        d->idle = d->idle || counts;
    }
}

/* Who has the nodes that a rule matches: every match must be lost, and the names of who wins are put down. False if the rule
 * wins somewhere. */
static bool find_winners(const met_lkb *lkb, const char *rule, met_text *out)
{
    met_map *said = met_map_new(out->arena);
    bool lost = true;
    for (size_t c = 0; c < CIRCUITS && lost; c++) {
        met_session *session = met_session_new();
        uint64_t rows;
        const met_circuit *circuit = load(session, c, &rows);
        for (size_t t = 0; t < TARGETS && lost; t++) {
            met_plan_request request = request_of(c, t, rows);
            request.explain = true;
            const met_lowering *lowering = met_plan_circuit(circuit, lkb, &request);
            for (uint32_t n = 0; lowering && n < lowering->note_count; n++) {
                const met_lowering_note *note = &lowering->notes[n];
                if (!note->rule || strcmp(note->rule->id, rule) != 0)
                    continue;
                lost = lost && !note->won;
                const met_rule *winner = lowering->groups[note->group].rule;
                const char *name = winner ? winner->id : "derived";
                uint32_t known;
                if (!met_map_get(said, met_str_of(name), &known))
                    met_text_format(out, " %s", name);
                met_map_set(said, met_str_of(name), 1);
            }
        }
        met_session_free(session);
    }
    return lost;
}

/* Fields of which plans see nothing where no answer differs, and why. */
static const struct {
    const char *path, *reason;
} reasons[] = {
    { ".cite", "where it is explained" }, { ".summary", "words for people" }, { ".source", "where figures are from" },
    { ".energy_source", "where figures are from" }, { ".microtest", "which test holds it to its parts" },
    { ".example", "a circuit for the audit" }, { ".numerics", "of a rule that matches nothing here" }, { "rule.pattern", "no node of these circuits tells the patterns apart" },
    { "site.pattern", "no node of these circuits tells the patterns apart" }, { "site", "fits nothing here" },
    { "rule.priority", "among rules that want the same nodes the order is the same" }, { "rule.modes", "applies to the same of these plans" },
    { "rule.rows", "applies to the same of these plans" }, { "rule.when", "applies to the same of these plans" },
    { "rule.capabilities", "applies to the same of these plans" }, { "rule", "matches nothing here" }, { "remove", "what it removes matches nothing here" },
    { "family.param", "which instantiations there are, not which kernel is taken" }, { "family.point", "which instantiations there are" },
    { "family.form", "which text makes it" }, { "family.needs", "the classes here have it" }, { "family.kernels", "no rule names it" },
    { "family.ops", "no node of these circuits has it" }, { "family.core", "no node of these circuits has it" },
    { "family.tree", "what realized classes do is recorded from their kernels" }, { "family.pipeline", "what realized classes do is recorded from their kernels" },
    { "family", "no plan asks for it" }, { "tree", "no kernel of these plans is said to add so" }, { "roles", "no parameter here has the name" }, { "capability", "words for people" },
    { "unit", "how matrix units add: emulation asks, no plan" }, { "step", "what a plan must be, not what it is" }, { "op", "likewise" }, { "setting", "what may be asked for, not what is" }, { "class", "of no rule that applies, or for audits" },
};

static const char *reason_of(const char *path)
{
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        size_t length = strlen(reasons[i].path), whole = strlen(path);
        bool end = reasons[i].path[0] == '.' && whole >= length && strcmp(path + whole - length, reasons[i].path) == 0;
        bool begin = strncmp(path, reasons[i].path, length) == 0 && (path[length] == 0 || path[length] == '.');
        if (end || begin)
            return reasons[i].reason;
    }
    return NULL;
}

/* --- The sample --- */

typedef struct tally {
    uint32_t refused, digests, figures, shadowed, unseen, idle;
} tally;

typedef struct bed {
    met_session *session;
    const met_value *trees[FILES];
    word_list words[FILES];
    copier plain;
    const met_lkb *lkb;
    outcome before;
    answers answers;
} bed;

static bed *bed_new(void)
{
    met_session *session = met_session_new();
    bed *b = MET_NEW(session->arena, bed);
    b->session = session;
    load_files(session, b->trees);
    for (size_t f = 0; f < FILES; f++) {
        b->words[f] = (word_list){ .arena = session->arena };
        list_words(&b->words[f], b->trees[f]);
    }
    b->plain = (copier){ .place = UINT32_MAX };
    b->lkb = read_changed(b->trees, 0, &b->plain);
    assert_non_null(b->lkb);
    b->before.used = met_map_new(session->arena);
    plan_all(&b->before, NULL, b->lkb, false);
    b->answers = ask_all(session->arena, b->lkb);
    return b;
}

static void bed_free(bed *b)
{
    met_session_free(b->plain.to);
    met_session_free(b->session);
}

/* Nothing changed: it is shown why, or the field is idle. */
static void explain(const bed *b, const outcome *after, const met_lkb *lkb, const copier *c, size_t file, tally *sum)
{
    met_arena *arena = met_arena_new();
    answers now = ask_all(arena, lkb);
    defence d = { .before = &b->before, .after = after };
    const char *reason = reason_of(c->what);
    defend(&d, &b->answers, &now);
    defend(&d, &now, &b->answers);
    met_text winners = met_text_new(arena);
    bool lost = !*d.shadow || (find_winners(lkb, d.shadow, &winners) && find_winners(b->lkb, d.shadow, &winners));
    bool idle = d.idle || !lost || (d.shadowed == 0 && !reason);
    sum->idle += idle;
    sum->shadowed += !idle && d.shadowed > 0;
    sum->unseen += !idle && d.shadowed == 0;
    if (idle)
        print_error("%s, %s, change %d: no plan and no figure changes; %s\n", files[file].path, c->what, c->change,
                    d.idle ? d.what : lost ? "and nothing is known of such fields" : "and its rule is in a plan");
    else if (getenv("MET_MUTATIONS"))
        print_message("%s, %s: %s%s\n", files[file].path, c->what,
                      *d.shadow ? "where the rule matches others win:" : d.shadowed ? "no plan has a kernel of the family" : reason, met_text_done(&winners));
    met_arena_free(arena);
}

static void try_change(const bed *b, size_t file, copier *c, tally *sum)
{
    const met_lkb *lkb = read_changed(b->trees, file, c);
    met_arena *arena = met_arena_new();
    outcome *after = MET_NEW(arena, outcome);
    after->used = met_map_new(arena);
    verdict v = lkb && !c->same ? plan_all(after, &b->before, lkb, strcmp(files[file].path, "DEVICES.toml") == 0) : SAME;
    sum->refused += !lkb;
    sum->digests += v == OTHER_DIGEST;
    sum->figures += v == OTHER_FIGURES;
    if (lkb && !c->same && v == SAME)
        explain(b, after, lkb, c, file, sum);
    met_arena_free(arena);
    met_session_free(c->to);
}

static void every_field_counts_in_plans(void **state)
{
    (void)state;
    bed *b = bed_new();
    const char *asked = getenv("MET_MUTATIONS");
    uint32_t samples = asked ? (uint32_t)atoi(asked) : SAMPLES;
    uint64_t seed = 11;
    tally sum = { 0 };
    for (uint32_t s = 0; s < samples; s++) {
        size_t f = s % FILES;
        copier c = { .place = (uint32_t)(next(&seed) % count_places(b->trees[f])), .change = (change)(next(&seed) % CHANGES) };
        c.other = b->words[f].words.at[next(&seed) % b->words[f].words.count];
        try_change(b, f, &c, &sum);
    }
    print_message("%u changes: %u refused, %u change a digest, %u a figure; of %u no rule or family is in a plan, %u are not seen by plans\n",
                  samples, sum.refused, sum.digests, sum.figures, sum.shadowed, sum.unseen);
    assert_int_equal(sum.idle, 0);
    assert_true(sum.digests > 0 && sum.figures > 0);
    bed_free(b);
}

/* --- The order of rules in files --- */

static void rules_may_stand_in_any_order(void **state)
{
    (void)state;
    bed *b = bed_new();
    uint64_t seed = 7;
    met_value *shuffled[FILES];
    const met_value *trees[FILES];
    for (size_t f = 0; f < FILES; f++) {
        const met_value *rules = met_value_get(b->trees[f], "rule");
        trees[f] = b->trees[f];
        if (!rules || strcmp(files[f].path, "SITES.toml") == 0)
            continue;
        shuffled[f] = met_arena_copy(b->session->arena, rules, 1, sizeof *rules);
        shuffled[f]->items.at = met_arena_copy(b->session->arena, rules->items.at, rules->items.count, sizeof *rules->items.at);
        for (size_t i = rules->items.count; i-- > 1;) {
            size_t k = (size_t)(next(&seed) % (i + 1));
            met_value *other = shuffled[f]->items.at[i];
            shuffled[f]->items.at[i] = shuffled[f]->items.at[k];
            shuffled[f]->items.at[k] = other;
        }
        met_value *whole = met_arena_copy(b->session->arena, b->trees[f], 1, sizeof *whole);
        whole->entries.at = met_arena_copy(b->session->arena, whole->entries.at, whole->entries.count, sizeof *whole->entries.at);
        for (size_t e = 0; e < whole->entries.count; e++)
            if (whole->entries.at[e].value == rules)
                whole->entries.at[e].value = shuffled[f];
        trees[f] = whole;
    }
    copier plain = { .place = UINT32_MAX };
    const met_lkb *lkb = read_changed(trees, 0, &plain);
    assert_non_null(lkb);
    outcome after = { .used = met_map_new(b->session->arena) };
    assert_int_equal(plan_all(&after, &b->before, lkb, true), SAME);
    assert_string_equal(lkb->digest, b->lkb->digest);
    met_session_free(plain.to);
    bed_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_field_counts_in_plans), cmocka_unit_test(rules_may_stand_in_any_order) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
