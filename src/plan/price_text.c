#include "plan/price_text.h"

#include <math.h>

/* --- For people --- */

typedef struct prefix {
    double unit;
    const char *name;
} prefix;

static const prefix prefixes[] = { { 1e15, "P" }, { 1e12, "T" }, { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" },
                                   { 1, "" },     { 1e-3, "m" }, { 1e-6, "u" }, { 1e-9, "n" } };

/* Five significant digits in the largest unit that leaves a digit before the point; of whole things, none after it. */
static void put_amount(met_text *out, double amount, const char *unit, bool whole)
{
    size_t last = whole ? 5 : sizeof prefixes / sizeof *prefixes - 1, p = 0;
    if (amount == 0 || !isfinite(amount)) {
        met_text_format(out, "%g %s", amount, unit);
        return;
    }
    while (p < last && fabs(amount) < prefixes[p].unit * 0.999995)
        p++;
    met_text_format(out, "%.5g %s%s", amount / prefixes[p].unit, prefixes[p].name, unit);
}

void met_put_bytes(met_text *out, double bytes)
{
    put_amount(out, bytes, "B", true);
}

void met_put_flops(met_text *out, double flops)
{
    put_amount(out, flops, "F", true);
}

void met_put_seconds(met_text *out, double seconds)
{
    put_amount(out, seconds, "s", false);
}

void met_put_joules(met_text *out, double joules, met_joules are)
{
    if (are != MET_JOULES_UNAVAILABLE) {
        put_amount(out, joules, "J", false);
        met_text_char(out, ' ');
    }
    met_text_put(out, met_joules_name(are));
}

void met_price_print(met_text *out, const met_price *price, const met_device *device)
{
    met_put_bytes(out, price->bytes);
    met_text_put(out, "  ");
    met_put_flops(out, price->flops);
    met_text_format(out, "  %.0f launch%s  ", price->launches, price->launches == 1 ? "" : "es");
    met_put_seconds(out, price->seconds);
    met_text_format(out, " (%s)", price->measured ? "measured" : met_price_bound_name(price, device));
    met_text_put(out, "  energy ");
    met_put_joules(out, price->joules, price->joules_are);
}

void met_laxity_print(met_text *out, const met_laxity *laxity)
{
    met_put_bytes(out, laxity->bytes);
    met_text_format(out, "  %.0f launch%s  ", laxity->launches, laxity->launches == 1 ? "" : "es");
    met_put_seconds(out, laxity->seconds);
    met_text_put(out, "  energy ");
    met_put_joules(out, laxity->joules, laxity->joules_are);
}

void met_fit_print(met_text *out, const met_memory *memory, const met_fit *fit)
{
    met_put_bytes(out, fit->needed);
    met_text_put(out, fit->fits ? " fit into " : " do not fit into ");
    met_put_bytes(out, fit->usable);
    met_text_put(out, ": weights ");
    met_put_bytes(out, memory->weights_stored);
    met_text_put(out, " (");
    met_put_bytes(out, memory->weights_read);
    met_text_put(out, " a step)\n");
    met_put_bytes(out, memory->token_bytes);
    met_text_put(out, " a token");
    if (memory->sequence_bytes > 0) {
        met_text_put(out, ", ");
        met_put_bytes(out, memory->sequence_bytes);
        met_text_put(out, " a sequence");
    }
    if (isfinite(fit->most_sequences))
        met_text_format(out, "; at most %.0f sequence%s\n", fit->most_sequences, fit->most_sequences == 1 ? "" : "s");
    else
        met_text_put(out, "; any number of sequences\n");
}

/* --- For programs --- */

void met_json_real(met_text *out, double number)
{
    if (isfinite(number))
        met_text_format(out, "%.17g", number);
    else
        met_text_put(out, "null");
}

static void put_field(met_text *out, const char *key, double number)
{
    met_text_format(out, "\"%s\": ", key);
    met_json_real(out, number);
}

static void put_joules(met_text *out, double joules, met_joules are)
{
    met_text_put(out, ", ");
    put_field(out, "joules", are == MET_JOULES_UNAVAILABLE ? NAN : joules);
    met_text_format(out, ", \"joules_are\": \"%s\"", met_joules_name(are));
}

void met_price_json(met_text *out, const met_price *price, const met_device *device)
{
    met_text_char(out, '{');
    put_field(out, "bytes", price->bytes);
    met_text_put(out, ", \"levels\": {");
    for (uint32_t l = 0; l < device->level_count && l < MET_PRICE_LEVELS; l++) {
        met_text_put(out, l ? ", " : "");
        put_field(out, device->levels[l].name, price->level_bytes[l]);
    }
    met_text_put(out, "}, ");
    put_field(out, "flops", price->flops);
    met_text_put(out, ", ");
    put_field(out, "launches", price->launches);
    met_text_put(out, ", ");
    put_field(out, "seconds", price->seconds);
    met_text_format(out, ", \"measured\": %s, \"bound\": \"%s\"", price->measured ? "true" : "false",
                    met_price_bound_name(price, device));
    put_joules(out, price->joules, price->joules_are);
    met_text_char(out, '}');
}

void met_laxity_json(met_text *out, const met_laxity *laxity)
{
    met_text_char(out, '{');
    put_field(out, "bytes", laxity->bytes);
    met_text_put(out, ", ");
    put_field(out, "launches", laxity->launches);
    met_text_put(out, ", ");
    put_field(out, "seconds", laxity->seconds);
    put_joules(out, laxity->joules, laxity->joules_are);
    met_text_char(out, '}');
}

void met_fit_json(met_text *out, const met_memory *memory, const met_fit *fit)
{
    const struct {
        const char *key;
        double number;
    } fields[] = { { "needed", fit->needed }, { "usable", fit->usable }, { "max_sequences", fit->most_sequences },
                   { "floor", memory->weights_read }, { "stored", memory->weights_stored },
                   { "cache_per_token", memory->token_bytes }, { "state_per_sequence", memory->sequence_bytes } };
    met_text_format(out, "{\"fits\": %s", fit->fits ? "true" : "false");
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        met_text_put(out, ", ");
        put_field(out, fields[i].key, fields[i].number);
    }
    met_text_char(out, '}');
}
