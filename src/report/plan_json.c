/* A plan as JSON: the schema is in docs/lowering.md. */
#include <math.h>

#include "report/plan.h"

typedef struct json {
    met_text *out;
    const met_lowering *l;
} json;

static void put_number(json *j, const char *key, double value)
{
    met_text_format(j->out, "\"%s\": ", key);
    if (isfinite(value))
        met_text_double(j->out, value);
    else
        met_text_put(j->out, "null");
}

static void put_string(json *j, const char *key, const char *value)
{
    met_text_format(j->out, "\"%s\": ", key);
    if (value)
        met_text_json_string(j->out, met_str_of(value));
    else
        met_text_put(j->out, "null");
}

static void put_names(json *j, const char *key, const met_name_list *names)
{
    met_text_format(j->out, "\"%s\": [", key);
    for (uint32_t i = 0; i < names->count; i++) {
        met_text_put(j->out, i ? ", " : "");
        met_text_json_string(j->out, met_str_of(names->names[i]));
    }
    met_text_put(j->out, "]");
}

static void put_price(json *j, const char *key, const met_price *price)
{
    const met_device *device = j->l->device;
    met_text_format(j->out, "\"%s\": {", key);
    put_number(j, "bytes", price->bytes);
    met_text_put(j->out, ", \"levels\": {");
    for (uint32_t l = 0; l < device->level_count && l < MET_PRICE_LEVELS; l++) {
        met_text_put(j->out, l ? ", " : "");
        put_number(j, device->levels[l].name, price->level_bytes[l]);
    }
    met_text_put(j->out, "}, ");
    put_number(j, "flops", price->flops);
    met_text_put(j->out, ", ");
    put_number(j, "launches", price->launches);
    met_text_put(j->out, ", ");
    put_number(j, "seconds", price->seconds);
    met_text_put(j->out, ", ");
    put_string(j, "seconds_are", price->measured ? "measured" : price->calibrated ? "calibrated" : "modelled");
    met_text_put(j->out, ", ");
    put_number(j, "joules", price->joules_are == MET_JOULES_UNAVAILABLE ? NAN : price->joules);
    met_text_put(j->out, ", ");
    put_string(j, "joules_are", met_joules_name(price->joules_are));
    met_text_put(j->out, ", ");
    put_string(j, "bound", met_price_bound_name(price, device));
    met_text_put(j->out, "}");
}

static void put_laxity(json *j, const met_price *parts, const met_price *whole)
{
    met_laxity lax = met_price_laxity(parts, whole);
    met_text_put(j->out, "\"laxity\": {");
    put_number(j, "bytes", lax.bytes);
    met_text_put(j->out, ", ");
    put_number(j, "launches", lax.launches);
    met_text_put(j->out, ", ");
    put_number(j, "seconds", lax.seconds);
    met_text_put(j->out, ", ");
    put_number(j, "joules", lax.joules);
    met_text_put(j->out, ", ");
    put_string(j, "joules_are", met_joules_name(lax.joules_are));
    met_text_put(j->out, "}");
}

static void put_nodes(json *j, const met_lowering_group *group)
{
    met_text_put(j->out, "\"nodes\": [");
    for (uint32_t i = 0; i < group->node_count; i++)
        met_text_format(j->out, "%s%u", i ? ", " : "", group->nodes[i].id);
    met_text_put(j->out, "], \"ops\": [");
    for (uint32_t i = 0; i < group->node_count; i++)
        met_text_format(j->out, "%s\"%s\"", i ? ", " : "", j->l->circuit->nodes[group->nodes[i].id].op->name);
    met_text_put(j->out, "]");
}

static void put_group(json *j, const met_lowering_group *group)
{
    static const char *const sources[] = { "rule", "derived", "placeholder" };
    static const char *const repeats[] = { "once", "per_row", "per_row_but_last", "chunk", "per_run" };
    static const char *const tags[] = { "reference", "bit_identical", "differs" };
    met_text_put(j->out, "    {");
    put_nodes(j, group);
    met_text_put(j->out, ", ");
    put_names(j, "kernels", &group->kernels);
    met_text_put(j->out, ", ");
    put_string(j, "source", sources[group->source]);
    met_text_put(j->out, ", ");
    put_string(j, "rule", group->rule ? group->rule->id : NULL);
    met_text_put(j->out, ", ");
    put_string(j, "family", group->family ? group->family->id : NULL);
    met_text_put(j->out, ", ");
    put_string(j, "repeat", repeats[group->repeat]);
    met_text_format(j->out, ", \"chunk\": %u, ", group->chunk);
    put_string(j, "numerics", tags[group->tag]);
    met_text_put(j->out, ", ");
    put_string(j, "lever", group->lever);
    met_text_put(j->out, ", ");
    put_string(j, "record", group->record);
    if (j->l->device) {
        met_text_put(j->out, ", ");
        put_price(j, "price", &group->price);
        met_text_put(j->out, ", ");
        put_laxity(j, &group->parts, &group->price);
    }
    met_text_put(j->out, "}");
}

static void put_edge(json *j, uint32_t e)
{
    const met_circuit *circuit = j->l->circuit;
    met_text_put(j->out, "    {\"name\": ");
    met_text_json_string(j->out, met_sym_str(circuit->session, circuit->edges[e].name));
    met_text_put(j->out, ", \"format\": \"");
    met_format_print(j->out, j->l->stored[e]);
    met_text_put(j->out, "\", \"class\": ");
    if (j->l->edges[e] == MET_EDGE_FUSED)
        met_text_format(j->out, "\"fused\", \"group\": %u}", j->l->group_of[circuit->edges[e].producer.id]);
    else
        met_text_put(j->out, "\"materialized\"}");
}

static void put_notes(json *j)
{
    met_text_put(j->out, ",\n  \"notes\": [");
    for (uint32_t n = 0; n < j->l->note_count; n++) {
        const met_lowering_note *note = &j->l->notes[n];
        met_text_format(j->out, "%s\n    {\"group\": %u, ", n ? "," : "", note->group);
        put_string(j, "rule", note->rule ? note->rule->id : NULL);
        met_text_format(j->out, ", \"won\": %s, ", note->won ? "true" : "false");
        put_string(j, "reason", note->reason);
        met_text_put(j->out, "}");
    }
    met_text_put(j->out, "\n  ]");
}

static void put_fit(json *j, const met_plan_request *request)
{
    met_memory memory;
    met_fit fit;
    if (!met_plan_fit(j->l, request, &memory, &fit))
        return;
    met_text_put(j->out, ",\n  \"memory\": {");
    put_number(j, "needed_bytes", fit.needed);
    met_text_put(j->out, ", ");
    put_number(j, "usable_bytes", floor(fit.usable));
    met_text_format(j->out, ", \"fits\": %s, ", fit.fits ? "true" : "false");
    put_number(j, "weights_bytes", memory.weights_stored);
    met_text_put(j->out, ", ");
    put_number(j, "token_bytes", memory.token_bytes);
    met_text_put(j->out, ", ");
    put_number(j, "sequence_bytes", memory.sequence_bytes);
    met_text_put(j->out, ", ");
    put_number(j, "most_sequences", fit.most_sequences);
    met_text_put(j->out, "}");
}

static void put_totals(json *j, const met_plan_request *request)
{
    const met_lowering *l = j->l;
    met_text_put(j->out, ",\n  ");
    put_price(j, "price", &l->price);
    met_text_put(j->out, ",\n  ");
    put_laxity(j, &l->parts, &l->price);
    if (met_plan_tokens(l) > 0) {
        met_text_put(j->out, ",\n  ");
        put_number(j, "tokens_per_second", met_plan_tokens(l) / l->price.seconds);
    }
    put_fit(j, request);
    if (l->planner != MET_LOWER_EXACT)
        return;
    met_text_format(j->out, ",\n  \"proven\": %s, ", l->proven ? "true" : "false");
    put_number(j, "bound_seconds", l->bound_s);
}

const char *met_lowering_json(const met_lowering *l, const met_plan_request *request)
{
    met_text out = met_text_new(l->circuit->session->arena);
    json j = { &out, l };
    met_text_put(&out, "{\n  ");
    met_text_put(&out, "\"circuit\": ");
    met_text_json_string(&out, met_sym_str(l->circuit->session, l->circuit->name));
    met_text_put(&out, ", ");
    put_string(&j, "planner", met_lowerer_name(l->planner));
    met_text_put(&out, ", ");
    put_string(&j, "class", l->hardware->id);
    met_text_put(&out, ", ");
    put_string(&j, "device", l->device ? l->device->id : NULL);
    met_text_put(&out, ", ");
    put_string(&j, "mode", l->mode);
    met_text_format(&out, ", \"rows\": %llu, \"context\": %llu,\n  ", (unsigned long long)l->rows, (unsigned long long)request->context);
    put_string(&j, "digest", met_lowering_digest(l));
    if (l->device)
        put_totals(&j, request);
    met_text_put(&out, ",\n  \"groups\": [\n");
    for (uint32_t g = 0; g < l->group_count; g++) {
        put_group(&j, &l->groups[g]);
        met_text_put(&out, g + 1 < l->group_count ? ",\n" : "\n");
    }
    met_text_put(&out, "  ],\n  \"edges\": [\n");
    for (uint32_t e = 0; e < l->circuit->edge_count; e++) {
        put_edge(&j, e);
        met_text_put(&out, e + 1 < l->circuit->edge_count ? ",\n" : "\n");
    }
    met_text_put(&out, "  ]");
    if (l->note_count > 0)
        put_notes(&j);
    met_text_put(&out, "\n}\n");
    return met_text_done(&out);
}
