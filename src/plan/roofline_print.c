/* The roofline of a step as people and programs read it. */
#include <string.h>

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

void met_roofline_print(met_text *out, met_arena *arena, const met_roofline *roofline)
{
    const met_roofline *sum = met_roofline_by_site(arena, roofline);
    met_text_format(out, "%-20s %16s %18s %12s %7s\n", "site", "bytes", "flops", "us", "%");
    for (uint32_t i = 0; i < sum->node_count; i++) {
        const met_roofline_node *node = &sum->nodes[i];
        met_text_format(out, "%-20s %16.0f %18.0f %12.3f %7.3f\n", node->site, node->bytes, node->flops, node->seconds * 1e6,
                        percent_of(sum, node));
    }
    met_text_format(out, "%-20s %16.0f %18.0f %12.3f %7.3f\n", "in all", sum->bytes, sum->flops, sum->seconds * 1e6, 100.0);
}

static void put_sum(met_text *out, const char *before, double bytes, double flops, double seconds)
{
    met_text_format(out, "%s\"bytes\": ", before);
    met_text_double(out, bytes);
    met_text_put(out, ", \"flops\": ");
    met_text_double(out, flops);
    met_text_put(out, ", \"seconds\": ");
    met_text_double(out, seconds);
}

void met_roofline_json(met_text *out, met_arena *arena, const met_roofline *roofline)
{
    const met_roofline *sum = met_roofline_by_site(arena, roofline);
    put_sum(out, "{", sum->bytes, sum->flops, sum->seconds);
    met_text_put(out, ", \"sites\": [");
    for (uint32_t i = 0; i < sum->node_count; i++) {
        const met_roofline_node *node = &sum->nodes[i];
        met_text_format(out, "%s{\"site\": \"%s\"", i ? ", " : "", node->site);
        put_sum(out, ", ", node->bytes, node->flops, node->seconds);
        met_text_put(out, ", \"percent\": ");
        met_text_double(out, percent_of(sum, node));
        met_text_char(out, '}');
    }
    met_text_put(out, "]}");
}
