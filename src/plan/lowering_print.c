/* The canonical text of a plan:
 *
 *     met plan 1
 *     circuit llama mode decode rows 1 structure 9c…
 *     group 0 kernels rmsnorm,linear repeat once family row_norm numerics bit_identical record 3f… nodes 0,1
 *     edge x bf16 rows n=1 dim m=4096 M
 *     edge layers.0.u bf16 rows n=1 dim m=4096 F0 */
#include <string.h>

#include "base/digest.h"
#include "ir/structure.h"
#include "plan/lowering.h"

static const char *const tags[] = { [MET_TAG_REFERENCE] = "reference", [MET_TAG_BIT_IDENTICAL] = "bit_identical", [MET_TAG_DIFFERS] = "differs" };
static const char *const repeats[] = { [MET_REPEAT_ONCE] = "once",
                                       [MET_REPEAT_PER_ROW] = "per_row",
                                       [MET_REPEAT_PER_ROW_BUT_LAST] = "per_row_but_last",
                                       [MET_REPEAT_CHUNK] = "chunk",
                                       [MET_REPEAT_PER_RUN] = "per_run" };

static void put_group(met_text *out, const met_lowering *lowering, uint32_t g)
{
    const met_lowering_group *group = &lowering->groups[g];
    met_text_format(out, "group %u kernels ", g);
    for (uint32_t k = 0; k < group->kernels.count; k++)
        met_text_format(out, "%s%s", k ? "," : "", group->kernels.names[k]);
    met_text_format(out, " repeat %s", repeats[group->repeat]);
    if (group->repeat == MET_REPEAT_CHUNK)
        met_text_format(out, ":%u", group->chunk);
    met_text_format(out, " family %s numerics %s", group->family ? group->family->id : "-", tags[group->tag]);
    if (group->tag == MET_TAG_DIFFERS && group->lever)
        met_text_format(out, ":%s", group->lever);
    met_text_format(out, " record %s nodes ", group->record);
    for (uint32_t i = 0; i < group->node_count; i++)
        met_text_format(out, "%s%u", i ? "," : "", group->nodes[i].id);
    met_text_char(out, '\n');
}

/* Axes from `begin` up to `end`, multiplied, by name and value. */
static void put_product(met_text *out, const met_circuit *circuit, const met_edge *edge, uint32_t begin, uint32_t end)
{
    uint64_t product = 1, size;
    bool known = true;
    for (uint32_t p = begin; p < end; p++) {
        met_text_put(out, p > begin ? "*" : "");
        met_text_str(out, met_sym_str(circuit->session, circuit->axes[edge->axes[p].id].name));
        known = known && met_circuit_size(circuit, edge->axes[p], &size) && (size == 0 || product <= UINT64_MAX / size);
        product *= known ? size : 1;
    }
    if (begin == end)
        met_text_put(out, "1");
    else if (known)
        met_text_format(out, "=%llu", (unsigned long long)product);
}

/* An array as rows of the width of its last axis. */
static void put_shape(met_text *out, const met_circuit *circuit, const met_edge *edge)
{
    uint32_t last = edge->rank > 0 ? edge->rank - 1 : 0;
    met_text_put(out, " rows ");
    put_product(out, circuit, edge, 0, last);
    met_text_put(out, " dim ");
    put_product(out, circuit, edge, last, edge->rank);
}

static void put_edge(met_text *out, const met_lowering *lowering, uint32_t e)
{
    const met_circuit *circuit = lowering->circuit;
    const met_edge *edge = &circuit->edges[e];
    met_text_put(out, "edge ");
    met_text_str(out, met_sym_str(circuit->session, edge->name));
    met_text_char(out, ' ');
    met_format_print(out, lowering->stored[e]);
    put_shape(out, circuit, edge);
    if (lowering->edges[e] == MET_EDGE_FUSED)
        met_text_format(out, " F%u\n", lowering->group_of[edge->producer.id]);
    else
        met_text_put(out, " M\n");
}

void met_lowering_print(met_text *out, const met_lowering *lowering)
{
    const met_circuit *circuit = lowering->circuit;
    met_text_put(out, "met plan 1\ncircuit ");
    met_str name = met_sym_str(circuit->session, circuit->name);
    met_text_str(out, name.length ? name : met_str_of("-"));
    met_text_format(out, " mode %s rows %llu structure %s\n", lowering->mode, (unsigned long long)lowering->rows,
                    met_circuit_structure(circuit));
    for (uint32_t g = 0; g < lowering->group_count; g++)
        put_group(out, lowering, g);
    for (uint32_t e = 0; e < circuit->edge_count; e++)
        put_edge(out, lowering, e);
}

const char *met_lowering_digest(const met_lowering *lowering)
{
    met_text text = met_text_new(lowering->circuit->session->arena);
    met_lowering_print(&text, lowering);
    met_text_done(&text);
    return met_digest(lowering->circuit->session->arena, (met_str){ text.at, text.length });
}
