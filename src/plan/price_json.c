#include "plan/price_json.h"

#include <math.h>

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
