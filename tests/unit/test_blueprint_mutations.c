/* No field of the blueprint is idle: changing, deleting or doubling any value of any file either is refused or changes the digest
 * of the blueprint. A sample by a fixed seed; MET_MUTATIONS=N takes N of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/file.h"
#include "host/model.h"
#include "host/toml.h"
#include "lkb/lkb.h"
#include "plan/lowering.h"

enum { FILES = 9, SAMPLES = 300 };

static const struct {
    const char *path, *class; /* NULL: of all classes */
} files[FILES] = {
    { "KERNEL_FAMILIES.toml", NULL },
    { "FUSIONS.toml", NULL },
    { "HARDWARE.toml", NULL },
    { "DEVICES.toml", NULL },
    { "SITES.toml", NULL },
    { "classes/hopper/KERNEL_FAMILIES.toml", "hopper" },
    { "classes/hopper/FUSIONS.toml", "hopper" },
    { "classes/b200/KERNEL_FAMILIES.toml", "b200" },
    { "classes/b200/FUSIONS.toml", "b200" },
};

/* Where a change does not apply (a list has no other value, a field cannot stand twice) the place is deleted. */
typedef enum change { CHANGE_VALUE, CHANGE_WORD, DELETE, DOUBLE, CHANGES } change;

/* Copies a tree and changes what stands at one place of it: places are counted in the order of the copy. */
typedef struct copier {
    met_session *to;
    uint32_t at, place;
    change change;
    const char *other; /* of CHANGE_WORD: what the word becomes */
    const char *key;   /* the field that the place is in */
    bool same;         /* the word has become itself */
    char what[256];
} copier;

static met_value *copy(copier *c, const met_value *value);

static bool deletes(const copier *c, const met_value *value, bool field)
{
    bool leaf = value->kind != MET_VALUE_LIST && value->kind != MET_VALUE_TABLE;
    return c->change == DELETE || (c->change == DOUBLE ? field : !leaf);
}

static void add_item(copier *c, met_value *list, const met_value *item)
{
    bool here = c->at++ == c->place;
    if (here)
        snprintf(c->what, sizeof c->what, "item of `%s`", c->key);
    const char *key = c->key;
    if (!here || !deletes(c, item, false))
        met_value_append(c->to, list, copy(c, item));
    c->key = key;
    if (here && c->change == DOUBLE)
        met_value_append(c->to, list, copy(c, item));
}

static void add_entry(copier *c, met_value *table, const met_entry *e)
{
    bool here = c->at++ == c->place;
    c->key = e->key.at;
    if (here)
        snprintf(c->what, sizeof c->what, "field `%s`", e->key.at);
    if (!here || !deletes(c, e->value, true))
        met_value_add(c->to, table, e->key.at, e->key.length, (met_place){ 0 }, copy(c, e->value));
}

/* The leaf at the place that was counted last. */
static met_value *copy_leaf(copier *c, const met_value *value)
{
    met_place nowhere = { 0 };
    bool here = c->at == c->place + 1 && (c->change == CHANGE_VALUE || c->change == CHANGE_WORD);
    met_text text = met_text_new(c->to->arena);
    switch (value->kind) {
    case MET_VALUE_BOOL:
        return met_value_bool(c->to, nowhere, value->boolean != here);
    case MET_VALUE_INTEGER:
        return met_value_integer(c->to, nowhere, here ? value->integer * 2 + 1 : value->integer);
    case MET_VALUE_FLOAT:
        return met_value_float(c->to, nowhere, here ? value->number * 1.25 : value->number);
    case MET_VALUE_STRING:
        met_text_str(&text, value->string);
        if (here && c->change == CHANGE_WORD) {
            c->same = met_str_is(value->string, c->other);
            return met_value_string(c->to, nowhere, c->other, strlen(c->other));
        }
        met_text_put(&text, here ? "x" : "");
        return met_value_string(c->to, nowhere, met_text_done(&text), text.length);
    default:
        return met_value_null(c->to, nowhere);
    }
}

static met_value *copy(copier *c, const met_value *value)
{
    met_place nowhere = { 0 };
    if (value->kind == MET_VALUE_LIST) {
        met_value *list = met_value_list(c->to, nowhere);
        for (size_t i = 0; i < value->items.count; i++)
            add_item(c, list, value->items.at[i]);
        return list;
    }
    if (value->kind == MET_VALUE_TABLE) {
        met_value *table = met_value_table(c->to, nowhere);
        for (size_t i = 0; i < value->entries.count; i++)
            add_entry(c, table, &value->entries.at[i]);
        return table;
    }
    return copy_leaf(c, value);
}

static uint32_t count_places(const met_value *value)
{
    uint32_t count = 0;
    for (size_t i = 0; value->kind == MET_VALUE_LIST && i < value->items.count; i++)
        count += 1 + count_places(value->items.at[i]);
    for (size_t i = 0; value->kind == MET_VALUE_TABLE && i < value->entries.count; i++)
        count += 1 + count_places(value->entries.at[i].value);
    return count;
}

/* All strings of a file, for a word to become another that may well be allowed there. */
typedef struct word_list {
    met_arena *arena;
    MET_VEC(const char *) words;
} word_list;

static void list_words(word_list *list, const met_value *value)
{
    if (value->kind == MET_VALUE_STRING)
        MET_PUSH(list->arena, &list->words, value->string.at);
    for (size_t i = 0; value->kind == MET_VALUE_LIST && i < value->items.count; i++)
        list_words(list, value->items.at[i]);
    for (size_t i = 0; value->kind == MET_VALUE_TABLE && i < value->entries.count; i++)
        list_words(list, value->entries.at[i].value);
}

static void put_file(met_lkb_sources *sources, met_lkb_overlay *overlays, size_t file, const met_value *tree)
{
    const met_value **mains[] = { &sources->families, &sources->fusions, &sources->hardware, &sources->devices, &sources->sites };
    if (!files[file].class) {
        *mains[file] = tree;
        return;
    }
    met_lkb_overlay *overlay = overlays;
    while (overlay->class_id && strcmp(overlay->class_id, files[file].class) != 0)
        overlay++;
    overlay->class_id = files[file].class;
    *(strstr(files[file].path, "FUSIONS") ? &overlay->fusions : &overlay->families) = tree;
    sources->overlays = overlays;
    uint32_t count = (uint32_t)(overlay - overlays) + 1;
    sources->overlay_count = count > sources->overlay_count ? count : sources->overlay_count;
}

/* The blueprint with one file changed, in a session of its own (c->to); NULL if it is refused. */
static const met_lkb *read_changed(const met_value *const *trees, size_t file, copier *c)
{
    met_lkb_sources sources = { 0 };
    met_lkb_overlay overlays[FILES] = { { 0 } };
    c->to = met_session_new();
    for (size_t f = 0; f < FILES; f++) {
        copier plain = { .to = c->to, .place = UINT32_MAX };
        put_file(&sources, overlays, f, copy(f == file ? c : &plain, trees[f]));
    }
    return met_lkb_read(c->to, &sources);
}

/* Its digest; "refused" if it is. */
static const char *digest_of(const met_value *const *trees, size_t file, copier *c, char *ret_digest)
{
    const met_lkb *lkb = read_changed(trees, file, c);
    assert_true(lkb || met_session_error_count(c->to) > 0);
    snprintf(ret_digest, 65, "%s", lkb ? lkb->digest : "refused");
    met_session_free(c->to);
    return ret_digest;
}

static uint64_t next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

static void load_files(met_session *session, const met_value **trees)
{
    for (size_t f = 0; f < FILES; f++) {
        char path[1024];
        snprintf(path, sizeof path, MET_ROOT_DIR "/kernels/%s", files[f].path);
        trees[f] = met_toml_read(session, met_file_source(session, path));
        assert_non_null(trees[f]);
    }
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
