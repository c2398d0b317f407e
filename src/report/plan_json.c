/* A plan as JSON: the schema is in docs/lowering.md. What is not known is null. */
#include <math.h>

#include "base/json.h"
#include "report/plan.h"

static void put_price(met_json *json, const met_device *device, const met_price *price)
{
    static const met_json_field fields[] = {
        { "flops", offsetof(met_price, flops), MET_JSON_NUMBER },
        { "launches", offsetof(met_price, launches), MET_JSON_NUMBER },
        { "seconds", offsetof(met_price, seconds), MET_JSON_NUMBER },
        { 0 },
    };
    met_json_open(json, "price", '{');
    met_json_put_number(json, "bytes", price->bytes);
    met_json_open(json, "levels", '{');
    for (uint32_t l = 0; l < device->level_count && l < MET_PRICE_LEVELS; l++)
        met_json_put_number(json, device->levels[l].name, price->level_bytes[l]);
    met_json_close(json, '}');
    met_json_put_fields(json, fields, price);
    met_json_put_string(json, "seconds_are", price->measured ? "measured" : price->calibrated ? "calibrated" : "modelled");
    met_json_put_number(json, "joules", price->joules_are == MET_JOULES_UNAVAILABLE ? NAN : price->joules);
    met_json_put_string(json, "joules_are", met_joules_name(price->joules_are));
    met_json_put_string(json, "bound", met_price_bound_name(price, device));
    met_json_close(json, '}');
}

static void put_laxity(met_json *json, const met_price *parts, const met_price *whole)
{
    static const met_json_field fields[] = {
        { "bytes", offsetof(met_laxity, bytes), MET_JSON_NUMBER },
        { "launches", offsetof(met_laxity, launches), MET_JSON_NUMBER },
        { "seconds", offsetof(met_laxity, seconds), MET_JSON_NUMBER },
        { "joules", offsetof(met_laxity, joules), MET_JSON_NUMBER },
        { 0 },
    };
    met_laxity lax = met_price_laxity(parts, whole);
    met_json_open(json, "laxity", '{');
    met_json_put_fields(json, fields, &lax);
    met_json_put_string(json, "joules_are", met_joules_name(lax.joules_are));
    met_json_close(json, '}');
}

static void put_nodes(met_json *json, const met_lowering *l, const met_lowering_group *group)
{
    met_json_open(json, "nodes", '[');
    for (uint32_t i = 0; i < group->node_count; i++)
        met_json_put_integer(json, NULL, group->nodes[i].id);
    met_json_close(json, ']');
    met_json_open(json, "ops", '[');
    for (uint32_t i = 0; i < group->node_count; i++)
        met_json_put_string(json, NULL, l->circuit->nodes[group->nodes[i].id].op->name);
    met_json_close(json, ']');
}

static void put_group(met_json *json, const met_lowering *l, const met_lowering_group *group)
{
    static const char *const sources[] = { "rule", "derived", "placeholder" };
    static const char *const repeats[] = { "once", "per_row", "per_row_but_last", "chunk", "per_run" };
    static const char *const tags[] = { "reference", "bit_identical", "differs" };
    met_json_line(json, 4);
    met_json_open(json, NULL, '{');
    put_nodes(json, l, group);
    met_json_put_strings(json, "kernels", group->kernels.count, group->kernels.names);
    met_json_put_string(json, "source", sources[group->source]);
    met_json_put_string(json, "rule", group->rule ? group->rule->id : NULL);
    met_json_put_string(json, "family", group->family ? group->family->id : NULL);
    met_json_put_string(json, "repeat", repeats[group->repeat]);
    met_json_put_integer(json, "chunk", group->chunk);
    met_json_put_string(json, "numerics", tags[group->tag]);
    met_json_put_string(json, "lever", group->lever);
    met_json_put_string(json, "record", group->record);
    if (l->device) {
        put_price(json, l->device, &group->price);
        put_laxity(json, &group->parts, &group->price);
    }
    met_json_close(json, '}');
}

static void put_edge(met_json *json, const met_lowering *l, uint32_t e)
{
    const met_circuit *circuit = l->circuit;
    met_text format = met_text_new(json->out->arena);
    bool fused = l->edges[e] == MET_EDGE_FUSED;
    met_format_print(&format, l->stored[e]);
    met_json_line(json, 4);
    met_json_open(json, NULL, '{');
    met_json_put_str(json, "name", met_sym_str(circuit->session, circuit->edges[e].name));
    met_json_put_string(json, "format", met_text_done(&format));
    met_json_put_string(json, "class", fused ? "fused" : "materialized");
    if (fused)
        met_json_put_integer(json, "group", l->group_of[circuit->edges[e].producer.id]);
    met_json_close(json, '}');
}

static void put_note(met_json *json, const met_lowering_note *note)
{
    met_json_line(json, 4);
    met_json_open(json, NULL, '{');
    met_json_put_integer(json, "group", note->group);
    met_json_put_string(json, "rule", note->rule ? note->rule->id : NULL);
    met_json_put_flag(json, "won", note->won);
    met_json_put_string(json, "reason", note->reason);
    met_json_close(json, '}');
}

static void put_fit(met_json *json, const met_lowering *l, const met_plan_request *request)
{
    static const met_json_field fields[] = {
        { "weights_bytes", offsetof(met_memory, weights_stored), MET_JSON_NUMBER },
        { "token_bytes", offsetof(met_memory, token_bytes), MET_JSON_NUMBER },
        { "sequence_bytes", offsetof(met_memory, sequence_bytes), MET_JSON_NUMBER },
        { 0 },
    };
    met_memory memory;
    met_fit fit;
    if (!met_plan_fit(l, request, &memory, &fit))
        return;
    met_json_line(json, 2);
    met_json_open(json, "memory", '{');
    met_json_put_number(json, "needed_bytes", fit.needed);
    met_json_put_number(json, "usable_bytes", floor(fit.usable));
    met_json_put_flag(json, "fits", fit.fits);
    met_json_put_fields(json, fields, &memory);
    met_json_put_number(json, "most_sequences", fit.most_sequences);
    met_json_close(json, '}');
}

static void put_totals(met_json *json, const met_lowering *l, const met_plan_request *request)
{
    met_json_line(json, 2);
    put_price(json, l->device, &l->price);
    met_json_line(json, 2);
    put_laxity(json, &l->parts, &l->price);
    if (met_plan_tokens(l) > 0) {
        met_json_line(json, 2);
        met_json_put_number(json, "tokens_per_second", met_plan_tokens(l) / l->price.seconds);
    }
    put_fit(json, l, request);
    if (l->planner != MET_LOWER_EXACT)
        return;
    met_json_line(json, 2);
    met_json_put_flag(json, "proven", l->proven);
    met_json_put_number(json, "bound_seconds", l->bound_s);
}

static void put_head(met_json *json, const met_lowering *l, const met_plan_request *request)
{
    met_json_line(json, 2);
    met_json_put_str(json, "circuit", met_sym_str(l->circuit->session, l->circuit->name));
    met_json_put_string(json, "planner", met_lowerer_name(l->planner));
    met_json_put_string(json, "class", l->hardware->id);
    met_json_put_string(json, "device", l->device ? l->device->id : NULL);
    met_json_put_string(json, "mode", l->mode);
    met_json_put_integer(json, "rows", l->rows);
    met_json_put_integer(json, "context", request->context);
    met_json_line(json, 2);
    met_json_put_string(json, "digest", met_lowering_digest(l));
}

/* A list whose items stand on lines of their own. */
static void open_list(met_json *json, const char *key)
{
    met_json_line(json, 2);
    met_json_open(json, key, '[');
}

static void close_list(met_json *json)
{
    met_json_line(json, 2);
    met_json_close(json, ']');
}

const char *met_lowering_json(const met_lowering *l, const met_plan_request *request)
{
    met_text out = met_text_new(l->circuit->session->arena);
    met_json writer = met_json_new(&out), *json = &writer;
    met_json_open(json, NULL, '{');
    put_head(json, l, request);
    if (l->device)
        put_totals(json, l, request);
    open_list(json, "groups");
    for (uint32_t g = 0; g < l->group_count; g++)
        put_group(json, l, &l->groups[g]);
    close_list(json);
    open_list(json, "edges");
    for (uint32_t e = 0; e < l->circuit->edge_count; e++)
        put_edge(json, l, e);
    close_list(json);
    if (l->note_count > 0) {
        open_list(json, "notes");
        for (uint32_t n = 0; n < l->note_count; n++)
            put_note(json, &l->notes[n]);
        close_list(json);
    }
    met_json_line(json, 0);
    met_json_close(json, '}');
    return met_json_done(json);
}
