#include "audit/toy.h"

#include <string.h>

#include "base/map.h"

const met_toy *met_toy_new(const met_circuit *circuit, const char *arch, const char *mode, const char *format)
{
    met_format parsed;
    met_dtype dtype = met_format_parse(met_str_of(format), &parsed) ? (met_dtype)parsed.dtype : MET_F32;
    met_point point = met_point_of(dtype);
    const met_settled *settled = met_settled_new(circuit, &point);
    if (!settled)
        return NULL;
    met_toy *toy = MET_NEW(circuit->arena, met_toy);
    *toy = (met_toy){ arch, mode, format, circuit, settled, met_region_judge_new(settled, &(met_plan_options){ 0 }) };
    return toy;
}

/* --- The point that settings mean --- */

/* `dot` and `float_rescale` are how rules name numerics points (kernels/HARDWARE.toml). */
static met_point point_of(const met_toy *toy, uint32_t count, const met_setting *settings)
{
    met_point point = toy->settled->point;
    for (uint32_t s = 0; s < count; s++) {
        if (!strcmp(settings[s].name, "dot"))
            point.dot = !strcmp(settings[s].value, "pairs") ? MET_DOT_PAIRS : MET_DOT_F32;
        else if (!strcmp(settings[s].name, "float_rescale") && !strcmp(settings[s].value, "on"))
            point.numerics = MET_NUMERICS_FLOAT;
    }
    return point;
}

/* NULL if it is the toy's own. */
static met_region_judge *judge_at(const met_toy *toy, uint32_t count, const met_setting *settings)
{
    met_point point = point_of(toy, count, settings);
    if (point.dot == toy->settled->point.dot && point.numerics == toy->settled->point.numerics)
        return NULL;
    const met_settled *settled = met_settled_new(toy->circuit, &point);
    return settled ? met_region_judge_new(settled, &(met_plan_options){ 0 }) : NULL;
}

/* --- Lowering with one rule --- */

/* The settings that the rule reads, as it wants them. */
static const met_setting *settings_for(met_arena *arena, const met_rule *rule, uint32_t *ret_count)
{
    met_setting *settings = MET_NEW_ARRAY(arena, met_setting, rule->when_count + 1);
    for (uint32_t w = 0; w < rule->when_count; w++)
        settings[w] = rule->when[w];
    *ret_count = rule->when_count;
    if (rule->lever)
        settings[(*ret_count)++] = (met_setting){ rule->lever, "on" };
    return settings;
}

/* The class with this rule alone (NULL: with none), able to do what it wants. */
static const met_hardware *class_of_rule(met_arena *arena, const met_hardware *hardware, const met_rule *rule)
{
    met_hardware *one = MET_NEW(arena, met_hardware);
    const met_rule **rules = MET_NEW_ARRAY(arena, const met_rule *, 1);
    *one = *hardware;
    rules[0] = rule;
    one->rules = rules;
    one->rule_count = rule != NULL;
    one->absence_count = 0;
    if (rule)
        one->capabilities = rule->capabilities;
    return one;
}

const met_lowering *met_toy_lower(const met_lkb *lkb, const met_hardware *hardware, const met_rule *rule, const met_toy *toy)
{
    met_arena *arena = toy->circuit->arena;
    met_lower_options options = { .lkb = lkb, .hardware = class_of_rule(arena, hardware, rule), .mode = toy->mode, .rows = 1,
                                  .partial = true };
    if (rule) {
        options.settings = settings_for(arena, rule, &options.setting_count);
        options.rows = rule->rows_min ? rule->rows_min : 1;
    }
    return met_lower(toy->circuit, MET_LOWER_GREEDY, &options);
}

const met_lowering *met_toy_singles(const met_lkb *lkb, const met_hardware *hardware, const met_toy *toy)
{
    return met_toy_lower(lkb, hardware, NULL, toy);
}

/* --- Matches --- */

/* Whether the circuit has an op for every element that must be there: most rules are done with here. */
static bool may_match(const met_rule *rule, const met_toy *toy)
{
    bool there[MET_OP_COUNT] = { false };
    if (rule->modes.count > 0 && !met_name_list_has(&rule->modes, toy->mode))
        return false;
    for (uint32_t n = 0; n < toy->circuit->node_count; n++)
        if (toy->circuit->nodes[n].op)
            there[toy->circuit->nodes[n].op->id] = true;
    for (uint32_t e = 0; e < rule->element_count; e++) {
        bool any = rule->elements[e].optional;
        for (uint32_t o = 0; o < rule->elements[e].op_count; o++)
            any = any || there[rule->elements[e].ops[o]];
        if (!any)
            return false;
    }
    return true;
}

/* The formats that the plan gives what the group makes, where they are not the circuit's. */
static void put_formats(met_text *out, const met_lowering *lowering, const met_lowering_group *group)
{
    const met_circuit *circuit = lowering->circuit;
    for (uint32_t k = 0; k < group->node_count; k++) {
        const met_node *node = &circuit->nodes[group->nodes[k].id];
        for (uint32_t o = 0; o < node->out_count; o++) {
            met_format planned = lowering->stored[node->outs[o].id];
            if (met_format_equal(planned, circuit->edges[node->outs[o].id].format))
                continue;
            met_text_format(out, "%u.%u ", k, o);
            met_format_print(out, planned);
        }
    }
}

static bool is_new(met_map *known, const met_toy *toy, const met_lowering *lowering, const met_lowering_group *group)
{
    uint32_t ignored;
    met_text text = met_text_new(toy->circuit->arena);
    const char *record = met_settled_record(toy->judge, group->node_count, group->nodes);
    met_text_put(&text, record ? record : "undeclared");
    put_formats(&text, lowering, group);
    met_str key = { met_text_done(&text), text.length };
    if (met_map_get(known, key, &ignored))
        return false;
    met_map_set(known, key, 1);
    return true;
}

typedef MET_VEC(met_toy_match) match_list;

/* Takes the toy as an example if one of its matches is unlike all before. */
static void take(const met_toy *toy, const met_lowering *lowering, met_map *known, met_rule_matches *matches, match_list *list)
{
    uint32_t setting_count;
    const met_setting *settings = settings_for(toy->circuit->arena, matches->rule, &setting_count);
    met_toy_match match = { .toy = toy, .lowering = lowering };
    bool fresh = false;
    for (uint32_t g = 0; g < lowering->group_count; g++) {
        const met_lowering_group *group = &lowering->groups[g];
        if (group->source != MET_GROUP_RULE)
            continue;
        match.count++;
        match.largest = group->node_count > match.largest ? group->node_count : match.largest;
        fresh = is_new(known, toy, lowering, group) || fresh;
    }
    matches->match_count += match.count;
    matches->largest = match.largest > matches->largest ? match.largest : matches->largest;
    matches->toy_count += match.count > 0;
    if (!fresh)
        return;
    match.own_judge = judge_at(toy, setting_count, settings);
    MET_PUSH(toy->circuit->arena, list, match);
}

met_rule_matches met_toy_matches(const met_lkb *lkb, const met_hardware *hardware, const met_rule *rule, uint32_t toy_count,
                                 const met_toy *const *toys)
{
    met_rule_matches matches = { .rule = rule };
    match_list list = { 0 };
    met_map *known = met_map_new(lkb->session->arena);
    for (uint32_t t = 0; t < toy_count; t++) {
        const met_lowering *lowering = may_match(rule, toys[t]) ? met_toy_lower(lkb, hardware, rule, toys[t]) : NULL;
        if (lowering)
            take(toys[t], lowering, known, &matches, &list);
    }
    matches.example_count = (uint32_t)list.count;
    matches.examples = list.at;
    return matches;
}
