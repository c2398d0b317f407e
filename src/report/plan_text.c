/* The report on a plan, within 80 columns. */
#include <math.h>
#include <string.h>

#include "report/plan.h"
#include "report/wrap.h"

enum { HEAD = 10, NUMBER = 5, KERNEL = 22, FIGURE = 9, WIDTH = 80 };

/* --- Numbers with units --- */

/* 3 digits and a unit: 15.3 GB, 1.02 us. */
static void put_scaled(met_text *out, double value, const char *unit, const char *const *prefixes, int count, double step, double base)
{
    int p = 0;
    value /= base;
    while (p + 1 < count && fabs(value) >= 999.5) {
        value /= step;
        p++;
    }
    met_text_double_digits(out, value, 3);
    met_text_format(out, " %s%s", prefixes[p], unit);
}

static void put_bytes(met_text *out, double bytes)
{
    static const char *const prefixes[] = { "", "k", "M", "G", "T", "P" };
    put_scaled(out, bytes, "B", prefixes, 6, 1000, 1);
}

static void put_count(met_text *out, double count, const char *unit)
{
    static const char *const prefixes[] = { "", "k", "M", "G", "T", "P" };
    put_scaled(out, count, unit, prefixes, 6, 1000, 1);
}

static void put_seconds(met_text *out, double seconds)
{
    static const char *const prefixes[] = { "n", "u", "m", "" };
    put_scaled(out, seconds, "s", prefixes, 4, 1000, 1e-9);
}

static void put_joules(met_text *out, double joules)
{
    static const char *const prefixes[] = { "n", "u", "m", "", "k" };
    put_scaled(out, joules, "J", prefixes, 5, 1000, 1e-9);
}

static met_wrap head(met_text *out, const char *label)
{
    met_text text = met_text_new(out->arena);
    met_text_put(&text, label);
    met_text_pad(&text, 0, HEAD);
    return met_wrap_start(out, 0, met_text_done(&text));
}

static void say(met_text *out, const char *label, met_text *line)
{
    met_wrap w = head(out, label);
    met_wrap_words(&w, met_text_done(line));
    met_text_char(out, '\n');
}

/* --- The head --- */

static void put_title(met_text *out, const met_lowering *l, const met_plan_request *request)
{
    met_text line = met_text_new(out->arena);
    met_str name = met_sym_str(l->circuit->session, l->circuit->name);
    met_text_format(&line, "%s@%s", met_lowerer_name(l->planner), request->hardware);
    if (l->device && strcmp(l->device->id, request->hardware) != 0)
        met_text_format(&line, " (prices of %s)", l->device->id);
    met_text_put(&line, " of ");
    met_text_str(&line, name.length ? name : met_str_of("the circuit"));
    met_text_format(&line, ", %s, %llu row%s", l->mode, (unsigned long long)l->rows, l->rows == 1 ? "" : "s");
    if (request->context)
        met_text_format(&line, ", context %llu", (unsigned long long)request->context);
    say(out, "plan", &line);
}

static uint32_t measured_groups(const met_lowering *l)
{
    uint32_t measured = 0;
    for (uint32_t g = 0; g < l->group_count; g++)
        measured += l->groups[g].price.measured;
    return measured;
}

/* What is not launched only cuts what is there into parts. It is listed where there is more to say of it. */
static bool is_listed(const met_lowering *l, const met_lowering_group *group)
{
    return !l->device || group->price.launches > 0 || l->note_count > 0;
}

static void put_groups(met_text *out, const met_lowering *l)
{
    uint32_t by[3] = { 0 }, fused = 0, inner = 0, idle = 0;
    for (uint32_t g = 0; g < l->group_count; g++) {
        by[l->groups[g].source]++;
        idle += l->device && l->groups[g].price.launches == 0;
    }
    for (uint32_t e = 0; e < l->circuit->edge_count; e++) {
        fused += l->edges[e] == MET_EDGE_FUSED;
        inner += l->circuit->edges[e].producer.id != MET_NONE && l->edges[e] == MET_EDGE_MATERIALIZED;
    }
    met_text line = met_text_new(out->arena);
    met_text_format(&line, "%u of %u nodes: %u by rules, %u derived, %u without a kernel", l->group_count, l->circuit->node_count,
                    by[MET_GROUP_RULE], by[MET_GROUP_DERIVED], by[MET_GROUP_PLACEHOLDER]);
    if (idle > 0)
        met_text_format(&line, "; %u of them only cut%s what is there into parts: never launched%s", idle, idle == 1 ? "s" : "",
                        l->note_count > 0 ? "" : ", not listed");
    say(out, "groups", &line);
    line = met_text_new(out->arena);
    met_text_format(&line, "%u fused, %u materialized (and what comes from outside)", fused, inner);
    say(out, "edges", &line);
}

static void put_time(met_text *out, const met_lowering *l)
{
    met_text line = met_text_new(out->arena);
    put_seconds(&line, l->price.seconds);
    uint32_t measured = measured_groups(l);
    const char *kind = l->price.calibrated ? "calibrated" : "modelled";
    if (measured == l->group_count)
        met_text_put(&line, ", measured");
    else if (measured > 0)
        met_text_format(&line, ", %u group%s measured, the others %s", measured, measured == 1 ? "" : "s", kind);
    else
        met_text_format(&line, ", %s", kind);
    double tokens = met_plan_tokens(l);
    if (tokens > 0) {
        met_text_put(&line, "; ");
        put_count(&line, tokens / l->price.seconds, "");
        met_text_put(&line, "tokens/s");
    }
    met_text_put(&line, "; ");
    put_count(&line, l->price.launches, "launches");
    say(out, "time", &line);
    line = met_text_new(out->arena);
    put_bytes(&line, l->price.bytes);
    met_text_put(&line, " moved, ");
    put_count(&line, l->price.flops, "flop");
    say(out, "work", &line);
}

static void put_share(met_text *line, const char *of, double seconds, const met_lowering *l)
{
    if (!(seconds > 0))
        return;
    met_text_format(line, "%s%s ", line->length ? ", " : "", of);
    met_text_double_digits(line, 100 * seconds / l->price.seconds, 3);
    met_text_put(line, "%");
}

/* Whole times of groups by what bounds them; and what all launches take, whichever groups they are of. What bounds a measured
 * time, and what launches have of it, nobody knows. */
static void put_bounds(met_text *out, const met_lowering *l)
{
    double by[MET_PRICE_LEVELS + 2] = { 0 }, measured = 0, launches = 0;
    met_text line = met_text_new(out->arena), launching = met_text_new(out->arena);
    for (uint32_t g = 0; g < l->group_count; g++) {
        const met_price *price = &l->groups[g].price;
        *(price->measured ? &measured : &by[price->bound + 2]) += price->seconds;
        launches += price->measured ? 0 : price->launches;
    }
    for (int b = MET_PRICE_LEVELS + 1; b >= 0; b--) {
        met_price of = { .bound = b - 2 };
        put_share(&line, met_price_bound_name(&of, l->device), by[b], l);
    }
    put_share(&line, "unknown (measured)", measured, l);
    put_share(&launching, measured > 0 ? "launches of the modelled groups" : "launches alone", launches * l->device->launch_s, l);
    if (launching.length)
        met_text_format(&line, " of the time; %s", met_text_done(&launching));
    say(out, "bound by", &line);
}

static void put_laxity(met_text *out, const met_lowering *l)
{
    met_laxity lax = met_price_laxity(&l->parts, &l->price);
    met_text line = met_text_new(out->arena);
    put_bytes(&line, lax.bytes);
    met_text_put(&line, ", ");
    put_count(&line, lax.launches, "launches");
    met_text_put(&line, ", ");
    put_seconds(&line, lax.seconds);
    if (lax.joules_are != MET_JOULES_UNAVAILABLE) {
        met_text_put(&line, ", ");
        put_joules(&line, lax.joules);
    }
    met_text_put(&line, " less than one kernel a node");
    say(out, "laxity", &line);
    line = met_text_new(out->arena);
    if (l->price.joules_are == MET_JOULES_UNAVAILABLE)
        met_text_put(&line, "unavailable: nothing says what this device spends");
    else {
        put_joules(&line, l->price.joules);
        met_text_format(&line, ", %s", met_joules_name(l->price.joules_are));
    }
    say(out, "energy", &line);
}

static void put_memory(met_text *out, const met_lowering *l, const met_plan_request *request)
{
    met_memory memory;
    met_fit fit;
    if (!met_plan_fit(l, request, &memory, &fit))
        return;
    met_text line = met_text_new(out->arena);
    put_bytes(&line, fit.needed);
    met_text_put(&line, " of ");
    put_bytes(&line, fit.usable);
    met_text_put(&line, fit.fits ? " usable: fits; weights " : " usable: does not fit; weights ");
    put_bytes(&line, memory.weights_stored);
    if (memory.token_bytes > 0) {
        met_text_put(&line, ", caches ");
        put_bytes(&line, memory.token_bytes);
        met_text_put(&line, " a token");
    }
    if (memory.token_bytes > 0 && memory.window < (double)request->context)
        met_text_put(&line, ", which windows do not cut");
    if (memory.sequence_bytes > 0) {
        met_text_put(&line, ", states ");
        put_bytes(&line, memory.sequence_bytes);
        met_text_put(&line, " a sequence");
    }
    if (isfinite(fit.most_sequences) && memory.token_bytes + memory.sequence_bytes > 0) {
        met_text_put(&line, "; sequences that fit: ");
        met_text_double(&line, floor(fit.most_sequences));
    }
    say(out, "memory", &line);
}

static void put_proof(met_text *out, const met_lowering *l)
{
    met_text line = met_text_new(out->arena);
    if (l->proven) {
        met_text_format(&line, "no plan of matches%s takes less: proven", l->derives ? " and derived regions" : "");
    } else if (l->bound_s <= 0) {
        met_text_put(&line, "a limit was hit; nothing is known of plans that were not looked at");
    } else {
        met_text_put(&line, "a limit was hit; none takes less than ");
        put_seconds(&line, l->bound_s);
        met_text_put(&line, ": the gap is ");
        met_text_double_digits(&line, 100 * (l->price.seconds / l->bound_s - 1), 3);
        met_text_put(&line, "%");
    }
    say(out, "least", &line);
}

/* --- Groups --- */

static void put_right(met_text *out, const met_text *figure, size_t width)
{
    size_t columns = met_columns((met_str){ figure->at, figure->length });
    met_text_repeat(out, ' ', columns < width ? width - columns : 1);
    met_text_bytes(out, figure->at, figure->length);
}

static void put_name(met_text *out, const met_lowering_group *group)
{
    size_t start = out->length;
    for (uint32_t k = 0; k < group->kernels.count; k++)
        met_text_format(out, "%s%s", k ? "," : "", group->kernels.names[k]);
    if (group->source == MET_GROUP_DERIVED)
        met_text_put(out, " *");
    if (group->repeat != MET_REPEAT_ONCE)
        met_text_put(out, group->repeat == MET_REPEAT_CHUNK ? " by chunk" : " by row");
    met_text_pad(out, start, KERNEL);
}

static void put_ops(met_text *out, const met_lowering *l, const met_lowering_group *group, size_t indent)
{
    met_text label = met_text_new(out->arena);
    met_text_repeat(&label, ' ', indent);
    met_wrap w = met_wrap_start(out, 0, met_text_done(&label));
    for (uint32_t i = 0; i < group->node_count;) {
        const char *name = l->circuit->nodes[group->nodes[i].id].op->name;
        uint32_t times = 1;
        while (i + times < group->node_count && strcmp(l->circuit->nodes[group->nodes[i + times].id].op->name, name) == 0)
            times++;
        met_text word = met_text_new(out->arena);
        met_text_put(&word, name);
        if (times > 1)
            met_text_format(&word, "x%u", times);
        met_wrap_word(&w, met_text_done(&word));
        i += times;
    }
    met_text_char(out, '\n');
}

/* What bounds it, if the time is the model's; that it is one where others are measured. */
static void put_bound(met_text *out, const met_lowering *l, const met_price *price, bool mixed)
{
    met_text_format(out, "  %s", price->launches == 0 ? "-" : price->measured ? "measured" : met_price_bound_name(price, l->device));
    if (mixed && price->launches > 0 && !price->measured)
        met_text_put(out, price->calibrated ? ", calibrated" : ", modelled");
}

static void put_group(met_text *out, const met_lowering *l, uint32_t g, bool mixed)
{
    const met_lowering_group *group = &l->groups[g];
    met_text number = met_text_new(out->arena);
    met_text_format(&number, "%u", g);
    put_right(out, &number, NUMBER);
    met_text_put(out, "  ");
    put_name(out, group);
    if (l->device) {
        met_text bytes = met_text_new(out->arena), flops = met_text_new(out->arena), time = met_text_new(out->arena);
        put_bytes(&bytes, group->price.bytes);
        put_count(&flops, group->price.flops, "flop");
        put_seconds(&time, group->price.seconds);
        put_right(out, &bytes, FIGURE);
        put_right(out, &flops, FIGURE + 3);
        put_right(out, &time, FIGURE);
        put_bound(out, l, &group->price, mixed);
    }
    met_text_char(out, '\n');
    put_ops(out, l, group, NUMBER + 4);
}

static void put_notes(met_text *out, const met_lowering *l, uint32_t g)
{
    for (int won = 1; won >= 0; won--)
        for (uint32_t n = 0; n < l->note_count; n++) {
            const met_lowering_note *note = &l->notes[n];
            if (note->group != g || note->won != (won == 1))
                continue;
            met_text label = met_text_new(out->arena);
            met_text_repeat(&label, ' ', NUMBER + 4);
            met_text_put(&label, note->won ? "+ " : "- ");
            met_wrap w = met_wrap_start(out, 0, met_text_done(&label));
            met_text line = met_text_new(out->arena);
            met_text_format(&line, "%s: %s", note->rule ? note->rule->id : l->groups[g].family ? "derived" : "novel", note->reason);
            met_wrap_words(&w, met_text_done(&line));
            met_text_char(out, '\n');
        }
}

static void put_stretch(met_text *out, const met_lowering *l, met_plan_stretch stretch, bool mixed)
{
    uint32_t listed = 0;
    for (uint32_t g = stretch.begin; g < stretch.begin + stretch.length; g++)
        listed += is_listed(l, &l->groups[g]);
    if (listed == 0)
        return;
    if (stretch.times > 1)
        met_text_format(out, "%u times%s:\n", stretch.times, listed > 1 ? ", one after another" : "");
    for (uint32_t g = stretch.begin; g < stretch.begin + stretch.length; g++) {
        if (!is_listed(l, &l->groups[g]))
            continue;
        put_group(out, l, g, mixed);
        put_notes(out, l, g);
    }
    if (stretch.times > 1)
        met_text_put(out, "then:\n");
}

const char *met_lowering_report(const met_lowering *l, const met_plan_request *request)
{
    met_text out = met_text_new(l->circuit->session->arena);
    put_title(&out, l, request);
    put_groups(&out, l);
    if (l->device) {
        put_time(&out, l);
        put_bounds(&out, l);
        put_laxity(&out, l);
        put_memory(&out, l, request);
    }
    if (l->planner == MET_LOWER_EXACT)
        put_proof(&out, l);
    met_text_format(&out, "digest    %s\n\n", met_lowering_digest(l));
    uint32_t count;
    bool mixed = measured_groups(l) > 0 || l->price.calibrated;
    const met_plan_stretch *stretches = met_plan_stretches(l, &count);
    for (uint32_t s = 0; s < count; s++)
        put_stretch(&out, l, stretches[s], mixed);
    return met_text_done(&out);
}
