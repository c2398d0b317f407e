/* The roofline of a step as people and programs read it. */
#include <string.h>

#include "base/json.h"
#include "plan/roofline.h"

const met_roofline *met_roofline_by_site(met_arena *arena, const met_roofline *roofline)
{
    met_roofline *sum = MET_NEW(arena, met_roofline);
    met_roofline_node *nodes = MET_NEW_ARRAY(arena, met_roofline_node, roofline->node_count);
    *sum = *roofline;
    sum->nodes = nodes;
    sum->node_count = 0;
    for (uint32_t i = 0; i < roofline->node_count; i++) {
        const met_roofline_node *node = &roofline->nodes[i];
        uint32_t at = 0;
        while (at < sum->node_count && strcmp(nodes[at].site, node->site) != 0)
            at++;
        if (at == sum->node_count)
            nodes[sum->node_count++] = (met_roofline_node){ .site = node->site };
        nodes[at].bytes += node->bytes;
        nodes[at].flops += node->flops;
        nodes[at].seconds += node->seconds;
    }
    return sum;
}

static double percent_of(const met_roofline *roofline, const met_roofline_node *node)
{
    return roofline->seconds > 0 ? 100 * node->seconds / roofline->seconds : 0;
}

/* A number at the right of a column, with so many decimals. */
static void put_cell(met_text *out, met_arena *scratch, double number, int decimals, size_t width)
{
    met_text cell = met_text_new(scratch);
    double scale = pow(10, decimals), scaled = round(number * scale), whole = floor(scaled / scale);
    if (!(scaled < 0x1p63)) /* beyond what the fixed form can say */
        met_text_double(&cell, number);
    else
        met_text_format(&cell, "%.0f", whole);
    if (decimals > 0 && scaled < 0x1p63)
        met_text_format(&cell, ".%0*.0f", decimals, scaled - whole * scale);
    met_text_repeat(out, ' ', cell.length < width ? width - cell.length : 1);
    met_text_put(out, met_text_done(&cell));
}

/* Bytes and flops are whole or nearly so. */
static void put_row(met_text *out, met_arena *scratch, const met_roofline_node *node, double percent)
{
    size_t start = out->length;
    met_text_put(out, node->site);
    met_text_pad(out, start, 16);
    put_cell(out, scratch, node->bytes, 0, 16);
    put_cell(out, scratch, node->flops, 0, 19);
    put_cell(out, scratch, node->seconds * 1e6, 4, 14);
    put_cell(out, scratch, percent, 2, 12);
    met_text_char(out, '\n');
}

void met_roofline_print(met_text *out, met_arena *arena, const met_roofline *roofline)
{
    const met_roofline *sum = met_roofline_by_site(arena, roofline);
    met_text_format(out, "%-16s%16s%19s%14s%12s\n", "site", "bytes", "flops", "us", "%");
    for (uint32_t i = 0; i < sum->node_count; i++)
        put_row(out, arena, &sum->nodes[i], percent_of(sum, &sum->nodes[i]));
    put_row(out, arena, &(met_roofline_node){ "in all", sum->bytes, sum->flops, sum->seconds }, sum->seconds > 0 ? 100 : 0);
}

static void put_sum(met_json *json, double bytes, double flops, double seconds)
{
    met_json_put_number(json, "bytes", bytes);
    met_json_put_number(json, "flops", flops);
    met_json_put_number(json, "seconds", seconds);
}

const char *met_roofline_json(met_arena *arena, const met_roofline *roofline)
{
    const met_roofline *sum = met_roofline_by_site(arena, roofline);
    met_text out = met_text_new(arena);
    met_json json = met_json_new(&out);
    met_json_open(&json, NULL, '{');
    put_sum(&json, sum->bytes, sum->flops, sum->seconds);
    met_json_open(&json, "sites", '[');
    for (uint32_t i = 0; i < sum->node_count; i++) {
        const met_roofline_node *node = &sum->nodes[i];
        met_json_open(&json, NULL, '{');
        met_json_put_string(&json, "site", node->site);
        put_sum(&json, node->bytes, node->flops, node->seconds);
        met_json_put_number(&json, "percent", percent_of(sum, node));
        met_json_close(&json, '}');
    }
    met_json_close(&json, ']');
    met_json_close(&json, '}');
    return met_json_done(&json);
}
