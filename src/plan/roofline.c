/* How the field counts a step, in so far as it differs from the price of a group:
 *
 *   gains, biases     not counted, and no flops but those of contractions and recurrences
 *   recurrences       4 flops for each element of the state at each step
 *   tables            what is read by ids counts once: where it is written
 *   experts           the ids that choose them are not counted, and the weights of the choice are 4 bytes each
 *   caches            what is appended counts once: where it is written
 *   attention         its flops are those of the positions cached before, without the new ones; a window bounds them
 *   prompts           n rows without a cache, under a causal mask, count as n rows after n/2 cached positions: keys and
 *                     values are written to a cache and n/2 positions of them read from it
 *   choice            a head's scores are read once more and give one 32-bit index a row, where no argmax does so
 *
 * The first six are a workload of its own; then a site is a group at the outermost level. The rest is roofline_attend.c. */
#include "plan/roofline.h"

#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "ir/affine.h"
#include "plan/roofline_parts.h"

/* --- The workload --- */

static double contraction_flops(const met_circuit *circuit, const met_node *node)
{
    bool linear = node->op && node->op->id == MET_OP_linear, product = node->op && node->op->id == MET_OP_einsum;
    double points = linear || product ? 1 : 0;
    bool folds = false;
    for (uint32_t i = 0; i < node->index_count; i++) {
        uint64_t size = 0;
        met_circuit_size(circuit, node->indices[i].axis, &size);
        points *= (double)size;
        folds = folds || node->indices[i].reduced;
    }
    return folds ? 2 * points : 0;
}

static bool reads_index(const met_access *access, uint32_t index)
{
    for (uint32_t p = 0; p < access->rank; p++)
        if (met_affine_reads_index(access->at[p], index))
            return true;
    return false;
}

/* 4·n·elements: a recurrence steps along the index that its first result alone has. */
static double recurrence_flops(const met_circuit *circuit, const met_node *node)
{
    if (!node->op || node->out_count != 2 || strcmp(node->op->pattern, "scan") != 0 || node->op->id == MET_OP_causal_conv)
        return 0;
    double points = 4;
    for (uint32_t i = 0; i < node->index_count; i++) {
        uint64_t size = 0;
        met_circuit_size(circuit, node->indices[i].axis, &size);
        bool state = reads_index(&node->out_access[1], i), step = reads_index(&node->out_access[0], i) && !state;
        points *= state || step ? (double)size : 1;
    }
    return points;
}

/* Which result of a router an edge is; MET_NONE: it is none. */
static uint32_t choice_of_router(const met_circuit *circuit, met_edge_id edge)
{
    const met_edge *e = &circuit->edges[edge.id];
    if (e->producer.id == MET_NONE || !circuit->nodes[e->producer.id].op || circuit->nodes[e->producer.id].op->id != MET_OP_router)
        return MET_NONE;
    return e->producer_output;
}

static double as_f32(const met_circuit *circuit, met_edge_id edge)
{
    double bytes = 4;
    uint64_t size = 0;
    for (uint32_t p = 0; p < circuit->edges[edge.id].rank; p++) {
        met_circuit_size(circuit, circuit->edges[edge.id].axes[p], &size);
        bytes *= (double)size;
    }
    return bytes;
}

static met_node_work field_work(const met_workload *from, uint32_t n)
{
    const met_circuit *circuit = from->circuit;
    const met_node *node = &circuit->nodes[n];
    met_node_work work = from->nodes[n];
    double *in_bytes = met_arena_copy(circuit->arena, work.in_bytes, node->in_count, sizeof *in_bytes);
    bool by_ids = node->op && node->op->form == MET_FORM_READ && node->op->id != MET_OP_expert;
    bool appends = met_node_appends(circuit, node);
    for (uint32_t k = 0; k < node->in_count; k++) {
        bool gain = circuit->edges[node->ins[k].id].role == MET_EDGE_PARAMETER && !met_node_reads_matrix(circuit, node, k);
        uint32_t choice = choice_of_router(circuit, node->ins[k]);
        if (gain || by_ids || appends || choice == 1)
            in_bytes[k] = 0;
        else if (choice == 0)
            in_bytes[k] = as_f32(circuit, node->ins[k]);
    }
    work.in_bytes = in_bytes;
    if (!node->op || node->op->id != MET_OP_expert)
        work.flops = contraction_flops(circuit, node) + recurrence_flops(circuit, node);
    return work;
}

static met_workload *field_workload(const met_workload *from)
{
    met_arena *arena = from->circuit->arena;
    met_workload *to = MET_NEW(arena, met_workload);
    met_node_work *nodes = MET_NEW_ARRAY(arena, met_node_work, from->circuit->node_count);
    double *out_bytes = met_arena_copy(arena, from->out_bytes, from->circuit->edge_count, sizeof *out_bytes);
    for (uint32_t n = 0; n < from->circuit->node_count; n++)
        nodes[n] = field_work(from, n);
    for (uint32_t e = 0; e < from->circuit->edge_count; e++)
        if (choice_of_router(from->circuit, (met_edge_id){ e }) == 0)
            out_bytes[e] = as_f32(from->circuit, (met_edge_id){ e });
    *to = *from;
    to->nodes = nodes;
    to->out_bytes = out_bytes;
    return to;
}

/* --- Rows --- */

typedef struct rows {
    met_arena *arena;
    const met_workload *workload; /* the field's */
    met_node_work *nodes;         /* of it, to be corrected */
    met_pricing pricing;          /* at the outermost level, without launches */
    MET_VEC(met_roofline_node) done;
    met_roofline sum;
} rows;

static void add_row(rows *r, const char *site, double bytes, double flops, double compute_s)
{
    met_price price = { .level_bytes = { bytes } };
    met_price_time(r->pricing.device, compute_s, &price);
    MET_PUSH(r->arena, &r->done, ((met_roofline_node){ site, bytes, flops, price.seconds }));
    r->sum.bytes += bytes;
    r->sum.flops += flops;
    r->sum.seconds += price.seconds;
}

static double compute_seconds(const rows *r, const met_site *site)
{
    double seconds = 0;
    for (uint32_t i = 0; i < site->node_count; i++) {
        const met_node_work *work = &r->workload->nodes[site->nodes[i].id];
        seconds += work->flops / met_device_peak(r->pricing.device, (met_peak)work->peak, r->pricing.no_fp4_unit);
    }
    return seconds;
}

static void add_site(rows *r, const met_site *site)
{
    met_attend attend = met_attend_of(r->workload, site);
    for (uint32_t k = 0; k < attend.product_count; k++) {
        met_node_work *work = &r->nodes[attend.products[k].node];
        work->flops = work->flops / attend.products[k].positions * attend.context;
    }
    met_price price = met_price_group(&r->pricing, &(met_priced_group){ .count = site->node_count, .nodes = site->nodes });
    if (attend.prompt) /* what would be written, and what would have been written before */
        add_row(r, "kv_write", attend.new_bytes, 0, 0);
    double cached = attend.prompt ? attend.new_bytes * attend.context / attend.products[0].positions : 0;
    if (price.bytes + cached > 0 || price.flops > 0)
        add_row(r, site->name, price.bytes + cached, price.flops, compute_seconds(r, site));
}

/* Scores that the circuit leaves to who samples: one row of them gives one index. */
static void add_choice(rows *r, const met_site *site)
{
    const met_circuit *circuit = r->workload->circuit;
    const met_node *node = &circuit->nodes[site->nodes[site->node_count - 1].id];
    const met_edge *scores = &circuit->edges[node->outs[0].id];
    double count = 1;
    uint64_t size = 0;
    if (strcmp(site->name, "lm_head") != 0 || !r->workload->facts->kept[node->outs[0].id] || scores->rank == 0)
        return;
    for (uint32_t p = 0; p + 1 < scores->rank; p++) {
        met_circuit_size(circuit, scores->axes[p], &size);
        count *= (double)size;
    }
    add_row(r, "argmax", r->workload->edge_bytes[node->outs[0].id] + 4 * count, 0, 0);
}

/* The given sites and, under the name of its op, every node that is in none: by their first node. */
static const met_site **sites_in_order(const met_circuit *circuit, uint32_t count, const met_site *sites, met_arena *arena)
{
    const met_site **at = MET_NEW_ARRAY(arena, const met_site *, circuit->node_count);
    bool *taken = MET_NEW_ARRAY(arena, bool, circuit->node_count);
    for (uint32_t s = 0; s < count; s++) {
        at[sites[s].nodes[0].id] = &sites[s];
        for (uint32_t i = 0; i < sites[s].node_count; i++)
            taken[sites[s].nodes[i].id] = true;
    }
    for (uint32_t n = 0; n < circuit->node_count; n++) {
        if (taken[n])
            continue;
        met_site *own = MET_NEW(arena, met_site);
        met_node_id *node = MET_NEW(arena, met_node_id);
        node->id = n;
        *own = (met_site){ circuit->nodes[n].op ? circuit->nodes[n].op->name : "box", 1, node };
        at[n] = own;
    }
    return at;
}

const met_roofline *met_roofline_new(const met_pricing *pricing, uint32_t site_count, const met_site *sites)
{
    const met_circuit *circuit = pricing->workload->circuit;
    met_workload *workload = field_workload(pricing->workload);
    met_device *device = MET_NEW(circuit->arena, met_device);
    *device = *pricing->device;
    device->levels += device->level_count - 1;
    device->level_count = 1;
    device->launch_s = 0;
    rows r = { .arena = circuit->arena, .workload = workload, .nodes = (met_node_work *)workload->nodes,
               .pricing = { .workload = workload, .device = device, .no_fp4_unit = pricing->no_fp4_unit } };
    const met_site **at = sites_in_order(circuit, site_count, sites, circuit->arena);
    for (uint32_t n = 0; n < circuit->node_count; n++)
        if (at[n]) {
            add_site(&r, at[n]);
            add_choice(&r, at[n]);
        }
    met_roofline *roofline = MET_NEW(circuit->arena, met_roofline);
    *roofline = r.sum;
    roofline->node_count = (uint32_t)r.done.count;
    roofline->nodes = r.done.at;
    return roofline;
}

double met_crossover_rows(const met_device *device, met_peak peak, double value_bytes, double in, double out)
{
    double bandwidth = device->levels[device->level_count - 1].bytes_per_s;
    double row_s = 2 * in * out / met_device_peak(device, peak, false) - value_bytes * (in + out) / bandwidth;
    return row_s > 0 ? value_bytes * in * out / bandwidth / row_s : INFINITY;
}
