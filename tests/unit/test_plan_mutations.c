/* No field of the blueprint is idle in plans: changing, deleting or doubling any value of any file is refused, or some plan's
 * digest is another, or some figure of a report is; or it is shown why not. What is shown: planning asks nothing of the
 * blueprint that is answered otherwise (every rule matches the same nodes and applies to the same plans, families take the same nodes
 * …), or only of rules and families that no plan has, before or after. A sample by a fixed seed; MET_MUTATIONS=N takes N of
 * them. The order of rules in a file changes nothing. */
#include "mutations.h"

#include "base/digest.h"
#include "base/map.h"
#include "met/blueprint.h"
#include "met/plan.h"
#include "plan/match.h"

enum { SAMPLES = 90 };

/* --- The plans --- */

static const struct {
    const char *model, *mode;
    uint64_t rows;
} circuits[] = {
    { "llama", "decode", 1 }, { "llama", "prefill", 8 }, { "qwen3", "verify", 4 }, { "qwen2_moe", "multi_seq", 3 },
    { "deepseek_v3", "decode", 1 }, { "bamba", "prefill", 8 }, { "gemma2", "decode", 1 }, { "bert", "encode", 8 },
};
static const struct {
    const char *hardware, *planner, *setting, *lever;
} targets[] = {
    { "h200-sxm", "greedy", NULL, NULL },   { "cpu-avx2", "exact", NULL, NULL }, { "b200", "greedy", NULL, NULL },
    { "cpu-scalar", "greedy", NULL, NULL }, { "h200-sxm", "exact", NULL, NULL }, { "cpu-avx512", "none", "dot=pairs", NULL },
    { "cpu-avx2", "greedy", "verify=per_row", "float_rescale" }, { "gb300", "greedy", NULL, "residual_f32" }, { "gb10", "none", NULL, NULL },
};
enum { CIRCUITS = sizeof circuits / sizeof *circuits, TARGETS = sizeof targets / sizeof *targets };

static met_plan_request request_of(size_t c, size_t t)
{
    return (met_plan_request){ .planner = targets[t].planner, .hardware = targets[t].hardware, .mode = circuits[c].mode, .rows = circuits[c].rows,
                               .partial = true, .settings = &targets[t].setting, .setting_count = targets[t].setting != NULL,
                               .levers = &targets[t].lever, .lever_count = targets[t].lever != NULL };
}

static met_circuit *load(met_session *session, size_t c)
{
    met_plan_request request = request_of(c, 0);
    met_circuit *circuit = met_model_load(session, &(met_model_request){ .name = circuits[c].model, .mode = circuits[c].mode, .toy = true });
    circuit = circuit ? met_plan_bind(circuit, &request) : NULL;
    if (!circuit)
        fail_msg("%s", met_session_diagnostics_text(session));
    return circuit;
}

/* What plans of a blueprint come to. */
typedef struct outcome {
    char digests[CIRCUITS][TARGETS][65], reports[CIRCUITS][TARGETS][65], nodes[CIRCUITS][65], hardware[65];
    met_map *used; /* ids of rules and families, and names of trees, that some plan has */
} outcome;

static void digest_to(char *ret_digest, met_session *session, const char *text)
{
    snprintf(ret_digest, 65, "%s", text ? met_digest(session->arena, met_str_of(text)) : "refused");
}

static void note_used(outcome *o, const met_lowering *lowering)
{
    for (uint32_t g = 0; g < lowering->group_count; g++) {
        const met_lowering_group *group = &lowering->groups[g];
        uint32_t place;
        if (group->rule)
            met_map_set(o->used, met_str_of(group->rule->id), 1);
        else if (group->family)
            met_map_set(o->used, met_str_of(group->family->id), 1);
        for (uint32_t k = 0; k < group->kernels.count && !lowering->hardware->class_name; k++) {
            const met_family *family = met_hardware_family(lowering->hardware, group->kernels.names[k], &place);
            if (family)
                met_map_set(o->used, met_str_of(family->id), 1);
        }
    }
}

/* Plans one circuit everywhere. True at the first plan or report that is not as in `before`, NULL: never. */
static bool plan_circuit(outcome *o, const outcome *before, const met_lkb *lkb, size_t c, bool *ret_digest)
{
    bool differs = false;
    met_session *session = met_session_new();
    const met_circuit *circuit = load(session, c);
    for (size_t t = 0; t < TARGETS && !differs; t++) {
        met_plan_request request = request_of(c, t);
        const met_lowering *lowering = met_plan_circuit(circuit, lkb, &request);
        snprintf(o->digests[c][t], 65, "%s", lowering ? met_lowering_digest(lowering) : "refused");
        digest_to(o->reports[c][t], session, lowering ? met_lowering_json(lowering, &request) : NULL);
        if (lowering)
            note_used(o, lowering);
        *ret_digest = before && strcmp(o->digests[c][t], before->digests[c][t]) != 0;
        differs = before && (*ret_digest || strcmp(o->reports[c][t], before->reports[c][t]) != 0);
    }
    met_plan_request request = request_of(c, 0);
    if (!differs)
        digest_to(o->nodes[c], session, met_plan_nodes_report(circuit, lkb, &request, true));
    differs = differs || (before && strcmp(o->nodes[c], before->nodes[c]) != 0);
    met_session_free(session);
    return differs;
}

/* What `met hw show` says of all devices: figures that bound no plan are seen there. */
static void report_devices(outcome *o, const met_lkb *lkb)
{
    met_text all = met_text_new(lkb->session->arena);
    for (uint32_t d = 0; d < lkb->device_count; d++)
        met_text_put(&all, met_hardware_show_json(lkb, lkb->devices[d].id));
    digest_to(o->hardware, lkb->session, met_text_done(&all));
}

typedef enum verdict { SAME, OTHER_DIGEST, OTHER_FIGURES } verdict;

static verdict plan_all(outcome *o, const outcome *before, const met_lkb *lkb, bool devices)
{
    bool digest = false;
    report_devices(o, lkb);
    for (size_t c = 0; c < CIRCUITS; c++)
        if (plan_circuit(o, before, lkb, c, &digest))
            return digest ? OTHER_DIGEST : OTHER_FIGURES;
    return before && devices && strcmp(o->hardware, before->hardware) != 0 ? OTHER_FIGURES : SAME;
}

/* --- What planning asks of a blueprint --- */

/* Answers by "rule ID CIRCUIT TARGET" and the like, in the order in which they are asked. */
typedef struct answers {
    met_arena *arena;
    met_map *at;
    MET_VEC(const char *) keys, texts;
} answers;

static void put_answer(answers *a, const char *kind, const char *id, size_t c, size_t t, const char *text)
{
    met_text key = met_text_new(a->arena);
    met_text_format(&key, "%s %s %zu %zu", kind, id, c, t);
    met_map_set(a->at, met_str_of(met_text_done(&key)), (uint32_t)a->texts.count);
    MET_PUSH(a->arena, &a->keys, met_text_done(&key));
    MET_PUSH(a->arena, &a->texts, met_arena_text(a->arena, text, strlen(text)));
}

typedef struct asking {
    met_lower_task *task;
    met_text *out;
    bool *nodes; /* that any match has */
} asking;

static bool put_match(void *context, const met_match *match)
{
    asking *a = context;
    met_text_format(a->out, met_match_leak(a->task, match).id == MET_NONE ? " +" : " -");
    for (uint32_t e = 0; e < match->rule->element_count; e++) {
        met_text_format(a->out, " %d", (int)match->nodes[e]);
        if (match->nodes[e] != MET_NONE)
            a->nodes[match->nodes[e]] = true;
    }
    return true;
}

/* What a rule makes of its matches. */
static void put_effect(met_text *out, const met_rule *rule)
{
    met_text_format(out, "%d %u %d %s", (int)rule->repeat, rule->chunk, (int)rule->tag, rule->lever ? rule->lever : "");
    for (uint32_t k = 0; k < rule->kernels.count; k++)
        met_text_format(out, " %s", rule->kernels.names[k]);
    for (uint32_t e = 0; e < rule->element_count; e++) {
        const met_rule_element *element = &rule->elements[e];
        const struct { bool has; met_format format; } formats[] = { { element->has_input, element->input }, { element->has_writes, element->writes },
                                                                     { element->has_holds, element->holds } };
        met_text_put(out, element->stored ? " stored" : " ");
        for (size_t f = 0; f < 3; f++) {
            met_text_char(out, '/');
            if (formats[f].has)
                met_format_print(out, formats[f].format);
        }
    }
}

/* Rules that apply, what they match, and which of those that come before want the same nodes. */
static void ask_rules(answers *a, met_lower_task *task, size_t c, size_t t)
{
    const met_hardware *hardware = task->options->hardware;
    uint32_t node_count = task->circuit->node_count;
    bool **nodes = MET_NEW_ARRAY(a->arena, bool *, hardware->rule_count);
    for (uint32_t r = 0; r < hardware->rule_count; r++) {
        const met_rule *rule = hardware->rules[r];
        met_text text = met_text_new(a->arena);
        asking asked = { task, &text, nodes[r] = MET_NEW_ARRAY(a->arena, bool, node_count) };
        bool any = false;
        if (met_lower_bars(a->arena, task->options, rule))
            continue;
        for (uint32_t n = 0; n < node_count; n++)
            met_match_each(task, rule, n, NULL, put_match, &asked);
        any = text.length > 0;
        if (any)
            put_effect(&text, rule);
        for (uint32_t before = 0; before < r; before++) {
            bool both = false;
            for (uint32_t n = 0; n < node_count; n++)
                both = both || (nodes[before] && nodes[before][n] && nodes[r][n]);
            if (both)
                met_text_format(&text, " after %s", hardware->rules[before]->id);
        }
        if (any)
            put_answer(a, "rule", rule->id, c, t, met_text_done(&text));
    }
}

static bool takes(const met_family *family, const met_match_node *node)
{
    for (uint32_t o = 0; o < family->op_count; o++)
        if (family->ops[o].op == node->op &&
            (family->ops[o].roles.count == 0 || (node->role && met_name_list_has(&family->ops[o].roles, node->role))))
            return true;
    return false;
}

/* What derivation may ask of families, and what records say of their kernels where they are declared. */
static void ask_families(answers *a, met_lower_task *task, size_t c, size_t t)
{
    const met_hardware *hardware = task->options->hardware;
    for (uint32_t f = 0; f < hardware->family_count; f++) {
        const met_family *family = hardware->families[f];
        met_text text = met_text_new(a->arena);
        for (uint32_t n = 0; n < task->circuit->node_count; n++)
            met_text_format(&text, "%d%d", takes(family, &task->nodes[n]), family->core.count == 0 ||
                            met_name_list_has(&family->core, task->circuit->nodes[n].op->name));
        met_text_format(&text, " %s", family->derived && !met_hardware_lacks(hardware, family->derived) ? family->derived : "-");
        for (uint32_t k = 0; k < family->kernels.count && !hardware->class_name; k++)
            met_text_format(&text, " %s %s", family->kernels.names[k], family->trees ? family->trees[k] : "-");
        for (uint32_t s = 0; s < family->step_count && !hardware->class_name; s++)
            met_text_format(&text, " %d %s %s", (int)family->steps[s].op, family->steps[s].step, family->steps[s].precision);
        put_answer(a, "family", family->id, c, t, met_text_done(&text));
    }
}

static void ask_of_class(answers *a, const met_lkb *lkb, const met_circuit *circuit, size_t c, size_t t)
{
    const met_device *device;
    met_lower_options options = { .lkb = lkb, .mode = circuits[c].mode, .rows = circuits[c].rows };
    met_setting settings[2];
    char value[64];
    if (!met_lkb_target(lkb, targets[t].hardware, &device, &options.hardware))
        return;
    if (targets[t].setting) {
        snprintf(value, sizeof value, "%s", targets[t].setting);
        char *equals = strchr(value, '=');
        *equals = 0;
        settings[options.setting_count++] = (met_setting){ value, equals + 1 };
    }
    if (targets[t].lever)
        settings[options.setting_count++] = (met_setting){ targets[t].lever, "on" };
    options.settings = settings;
    met_lower_task *task = met_lower_task_bare(a->arena, circuit, &options);
    ask_rules(a, task, c, t);
    ask_families(a, task, c, t);
    met_text text = met_text_new(a->arena);
    met_text_format(&text, "%s %d %s", options.hardware->class_name ? options.hardware->class_name : "-",
                    met_name_list_has(&options.hardware->capabilities, "fp4_unit"), met_hardware_setting(options.hardware, "dot"));
    put_answer(a, "class", options.hardware->id, c, t, met_text_done(&text));
}

/* Sites fit like rules, the first one in the file first: only what they match counts. */
static void ask_sites(answers *a, const met_lkb *lkb, const met_circuit *circuit, size_t c)
{
    met_lower_options options = { .lkb = lkb, .hardware = &lkb->hardware[0], .mode = circuits[c].mode, .rows = 1 };
    met_lower_task *task = met_lower_task_bare(a->arena, circuit, &options);
    for (uint32_t s = 0; s < lkb->site_count; s++) {
        met_text text = met_text_new(a->arena);
        asking asked = { task, &text, MET_NEW_ARRAY(a->arena, bool, circuit->node_count) };
        for (uint32_t n = 0; n < circuit->node_count; n++)
            met_match_each(task, &lkb->sites[s], n, NULL, put_match, &asked);
        if (text.length > 0)
            put_answer(a, "site", lkb->sites[s].id, c, 0, met_text_done(&text));
    }
}

static void ask_trees(answers *a, const met_lkb *lkb)
{
    for (uint32_t i = 0; i < lkb->tree_count; i++) {
        met_text text = met_text_new(a->arena);
        met_tree_print(&text, &lkb->trees[i].tree, MET_F32);
        put_answer(a, "tree", lkb->trees[i].id, 0, 0, met_text_done(&text));
    }
}

static answers ask_all(met_arena *arena, const met_lkb *lkb)
{
    answers a = { .arena = arena, .at = met_map_new(arena) };
    for (size_t c = 0; c < CIRCUITS; c++) {
        met_session *session = met_session_new();
        const met_circuit *circuit = load(session, c);
        for (size_t t = 0; t < TARGETS; t++)
            ask_of_class(&a, lkb, circuit, c, t);
        ask_sites(&a, lkb, circuit, c);
        met_session_free(session);
    }
    ask_trees(&a, lkb);
    return a;
}

/* --- Why nothing changes --- */

/* Answers that differ must be about rules and families that no plan has, before or after. */
typedef struct defence {
    const outcome *before, *after;
    uint32_t shadowed;
    char what[160]; /* the first one that counts */
    bool idle;      /* one does */
} defence;

static void defend(defence *d, const answers *mine, const answers *others)
{
    for (size_t i = 0; i < mine->keys.count; i++) {
        uint32_t at, used;
        char kind[16], id[128];
        if (met_map_get(others->at, met_str_of(mine->keys.at[i]), &at) && strcmp(mine->texts.at[i], others->texts.at[at]) == 0)
            continue;
        assert_int_equal(sscanf(mine->keys.at[i], "%15s %127s", kind, id), 2);
        bool counts = strcmp(kind, "class") == 0 || strcmp(kind, "site") == 0 || strcmp(kind, "tree") == 0 ||
                      met_map_get(d->before->used, met_str_of(id), &used) || met_map_get(d->after->used, met_str_of(id), &used);
        d->shadowed += !counts;
        if (counts && !d->idle)
            snprintf(d->what, sizeof d->what, "%s", mine->keys.at[i]);
        d->idle = d->idle || counts;
    }
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
    { "setting", "what may be asked for, not what is" }, { "class", "of no rule that applies, or for audits" },
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
    bool idle = d.idle || (d.shadowed == 0 && !reason);
    sum->idle += idle;
    sum->shadowed += !idle && d.shadowed > 0;
    sum->unseen += !idle && d.shadowed == 0;
    if (idle)
        print_error("%s, %s, change %d: no plan and no figure changes; %s\n", files[file].path, c->what, c->change,
                    d.idle ? d.what : "and nothing is known of such fields");
    else if (getenv("MET_MUTATIONS"))
        print_message("%s, %s: %s\n", files[file].path, c->what, d.shadowed ? "other rules or families win wherever it matters" : reason);
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
