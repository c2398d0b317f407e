/* What plans of a blueprint come to on a fixed set of circuits and targets, and all that planning them asks of the blueprint. */
#ifndef MET_TEST_PLAN_SET_H
#define MET_TEST_PLAN_SET_H

#include "circuits.h"
#include "mutations.h"

#include "base/digest.h"
#include "base/map.h"
#include "met/blueprint.h"
#include "met/plan.h"
#include "plan/match.h"

/* More than any match of these circuits takes. */
#define MATCH_STEPS ((uint64_t)1 << 24)

/* --- The plans --- */

/* What no architecture has: weights and activations of matrix units with scales, and rules that have an example of their own. */
static const char program[] = "x: nvfp4/g16[n=4096 m=16384]\nh: bf16[n=4096 m=16384]\nu = rmsnorm[m](h, @attn_norm)\nq = quantize[m](u, format=fp8/g128)\n"
                              "s = argmax[v=64](linear[m -> v](h, @output))\nl = linear[m -> f=4096](x, @wq)\n-> l, q, s\n";

static const struct {
    const char *model, *mode;
} circuits[] = {
    { "llama", "decode" }, { "llama", "prefill" }, { "qwen3", "verify" }, { "qwen2_moe", "multi_seq" },
    { "deepseek_v3", "decode" }, { "bamba", "prefill" }, { "gemma2", "decode" }, { "bert", "encode" }, { NULL, "run" },
};
static const struct {
    const char *hardware, *planner, *setting, *lever;
} targets[] = {
    { "h200-sxm", "greedy", NULL, NULL },   { "cpu-avx2", "exact", NULL, NULL }, { "b200", "greedy", NULL, NULL },
    { "cpu-scalar", "greedy", NULL, NULL }, { "h200-sxm", "exact", NULL, NULL }, { "cpu-avx512", "none", "dot=pairs", NULL },
    { "cpu-avx2", "greedy", "verify=per_row", "float_rescale" }, { "gb300", "greedy", NULL, "residual_f32" }, { "gb10", "none", NULL, NULL },
};
enum { CIRCUITS = sizeof circuits / sizeof *circuits, TARGETS = sizeof targets / sizeof *targets };

static inline met_plan_request request_of(size_t c, size_t t, uint64_t rows)
{
    return (met_plan_request){ .planner = targets[t].planner, .hardware = targets[t].hardware, .mode = circuits[c].mode, .rows = rows,
                               .partial = true, .settings = &targets[t].setting, .setting_count = targets[t].setting != NULL,
                               .levers = &targets[t].lever, .lever_count = targets[t].lever != NULL };
}

static inline const met_circuit *load(met_session *session, size_t c, uint64_t *ret_rows)
{
    met_plan_request request = request_of(c, 0, 0);
    *ret_rows = 1;
    met_model_request model = { .name = circuits[c].model, .mode = circuits[c].mode, .toy = true };
    if (!model.name)
        return circuit_of(session, program, "");
    met_circuit *circuit = met_model_load(session, &model);
    circuit = circuit ? met_plan_bind(circuit, &request) : NULL;
    if (!circuit)
        fail_msg("%s", met_session_diagnostics_text(session));
    *ret_rows = request.rows;
    return circuit;
}

/* What plans of a blueprint come to. */
typedef struct outcome {
    char digests[CIRCUITS][TARGETS][65], reports[CIRCUITS][TARGETS][65], nodes[CIRCUITS][65], hardware[65];
    met_map *used; /* ids of rules and families, and names of trees, that some plan has; "ID C T": that this one has */
} outcome;

static inline void digest_to(char *ret_digest, met_session *session, const char *text)
{
    snprintf(ret_digest, 65, "%s", text ? met_digest(session->arena, met_str_of(text)) : "refused");
}

static inline const char *used_in(char *ret_key, size_t size, const char *id, size_t c, size_t t)
{
    snprintf(ret_key, size, "%s %zu %zu", id, c, t);
    return ret_key;
}

static inline void note_used(outcome *o, const met_lowering *lowering, size_t c, size_t t)
{
    char key[192];
    for (uint32_t g = 0; g < lowering->group_count; g++) {
        const met_lowering_group *group = &lowering->groups[g];
        uint32_t place;
        if (group->rule) {
            met_map_set(o->used, met_str_of(group->rule->id), 1);
            met_map_set(o->used, met_str_of(used_in(key, sizeof key, group->rule->id, c, t)), 1);
        } else if (group->family)
            met_map_set(o->used, met_str_of(group->family->id), 1);
        for (uint32_t k = 0; k < group->kernels.count && !lowering->hardware->class_name; k++) {
            const met_family *family = met_hardware_family(lowering->hardware, group->kernels.names[k], &place);
            if (family)
                met_map_set(o->used, met_str_of(family->id), 1);
        }
    }
}

/* Plans one circuit everywhere. True at the first plan or report that is not as in `before`, NULL: never. */
static inline bool plan_circuit(outcome *o, const outcome *before, const met_lkb *lkb, size_t c, bool *ret_digest)
{
    bool differs = false;
    met_session *session = met_session_new();
    uint64_t rows;
    const met_circuit *circuit = load(session, c, &rows);
    for (size_t t = 0; t < TARGETS && !differs; t++) {
        met_plan_request request = request_of(c, t, rows);
        const met_lowering *lowering = met_plan_circuit(circuit, lkb, &request);
        snprintf(o->digests[c][t], 65, "%s", lowering ? met_lowering_digest(lowering) : "refused");
        digest_to(o->reports[c][t], session, lowering ? met_lowering_json(lowering, &request) : NULL);
        if (lowering)
            note_used(o, lowering, c, t);
        *ret_digest = before && strcmp(o->digests[c][t], before->digests[c][t]) != 0;
        differs = before && (*ret_digest || strcmp(o->reports[c][t], before->reports[c][t]) != 0);
    }
    met_plan_request request = request_of(c, 0, rows);
    if (!differs)
        digest_to(o->nodes[c], session, met_plan_nodes_report(circuit, lkb, &request, true));
    differs = differs || (before && strcmp(o->nodes[c], before->nodes[c]) != 0);
    met_session_free(session);
    return differs;
}

/* What `met hw show` says of all devices: figures that bound no plan are seen there. */
static inline void report_devices(outcome *o, const met_lkb *lkb)
{
    met_text all = met_text_new(lkb->session->arena);
    for (uint32_t d = 0; d < lkb->device_count; d++)
        met_text_put(&all, met_hardware_show_json(lkb, lkb->devices[d].id));
    digest_to(o->hardware, lkb->session, met_text_done(&all));
}

typedef enum verdict { SAME, OTHER_DIGEST, OTHER_FIGURES } verdict;

static inline verdict plan_all(outcome *o, const outcome *before, const met_lkb *lkb, bool devices)
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

static inline void put_answer(answers *a, const char *kind, const char *id, size_t c, size_t t, const char *text)
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

static inline bool put_match(void *context, const met_match *match)
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
static inline void put_effect(met_text *out, const met_rule *rule)
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
static inline void ask_rules(answers *a, met_lower_task *task, size_t c, size_t t)
{
    const met_hardware *hardware = task->options->hardware;
    uint32_t node_count = task->circuit->node_count;
    bool **nodes = MET_NEW_ARRAY(a->arena, bool *, hardware->rule_count);
    for (uint32_t r = 0; r < hardware->rule_count; r++) {
        const met_rule *rule = hardware->rules[r];
        met_text text = met_text_new(a->arena);
        asking asked = { task, &text, nodes[r] = MET_NEW_ARRAY(a->arena, bool, node_count) };
        met_text order = met_text_new(a->arena);
        if (met_lower_bars(a->arena, task->options, rule))
            continue;
        for (uint32_t n = 0; n < node_count; n++)
            assert_true(met_match_each(task, rule, n, NULL, &(uint64_t){ MATCH_STEPS }, put_match, &asked));
        if (text.length == 0)
            continue;
        put_effect(&text, rule);
        for (uint32_t before = 0; before < r; before++) {
            bool both = false;
            for (uint32_t n = 0; n < node_count; n++)
                both = both || (nodes[before] && nodes[before][n] && nodes[r][n]);
            if (both)
                met_text_format(&order, "%s%s ", order.length ? "" : " ", hardware->rules[before]->id);
        }
        put_answer(a, "rule", rule->id, c, t, met_text_done(&text));
        put_answer(a, "order", rule->id, c, t, met_text_done(&order));
    }
}

static inline bool takes(const met_family *family, const met_match_node *node)
{
    for (uint32_t o = 0; o < family->op_count; o++)
        if (family->ops[o].op == node->op &&
            (family->ops[o].roles.count == 0 || (node->role && met_name_list_has(&family->ops[o].roles, node->role))))
            return true;
    return false;
}

/* What derivation may ask of families, and what records say of their kernels where they are declared. */
static inline void ask_families(answers *a, met_lower_task *task, size_t c, size_t t)
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

static inline void ask_of_class(answers *a, const met_lkb *lkb, const met_circuit *circuit, uint64_t rows, size_t c, size_t t)
{
    const met_device *device;
    met_lower_options options = { .lkb = lkb, .mode = circuits[c].mode, .rows = rows };
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
static inline void ask_sites(answers *a, const met_lkb *lkb, const met_circuit *circuit, size_t c)
{
    met_lower_options options = { .lkb = lkb, .hardware = &lkb->hardware[0], .mode = circuits[c].mode, .rows = 1 };
    met_lower_task *task = met_lower_task_bare(a->arena, circuit, &options);
    for (uint32_t s = 0; s < lkb->site_count; s++) {
        met_text text = met_text_new(a->arena);
        asking asked = { task, &text, MET_NEW_ARRAY(a->arena, bool, circuit->node_count) };
        for (uint32_t n = 0; n < circuit->node_count; n++)
            assert_true(met_match_each(task, &lkb->sites[s], n, NULL, &(uint64_t){ MATCH_STEPS }, put_match, &asked));
        if (text.length > 0)
            put_answer(a, "site", lkb->sites[s].id, c, 0, met_text_done(&text));
    }
}

static inline void ask_trees(answers *a, const met_lkb *lkb)
{
    for (uint32_t i = 0; i < lkb->tree_count; i++) {
        met_text text = met_text_new(a->arena);
        met_tree_print(&text, &lkb->trees[i].tree, MET_F32);
        put_answer(a, "tree", lkb->trees[i].id, 0, 0, met_text_done(&text));
    }
}

static inline answers ask_all(met_arena *arena, const met_lkb *lkb)
{
    answers a = { .arena = arena, .at = met_map_new(arena) };
    for (size_t c = 0; c < CIRCUITS; c++) {
        met_session *session = met_session_new();
        uint64_t rows;
        const met_circuit *circuit = load(session, c, &rows);
        for (size_t t = 0; t < TARGETS; t++)
            ask_of_class(&a, lkb, circuit, rows, c, t);
        ask_sites(&a, lkb, circuit, c);
        met_session_free(session);
    }
    ask_trees(&a, lkb);
    return a;
}

#endif
