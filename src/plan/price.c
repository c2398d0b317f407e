#include "plan/price.h"

#include <math.h>

/* An op takes up to 64 arrays; guards look into a few more. */
enum { EDGES_OF_NODE = 80 };

/* --- Bytes of a group --- */

typedef struct group {
    const met_pricing *pricing;
    uint32_t count;
    const met_node_id *nodes; /* ascending */
    uint32_t change_count;
    const met_edge_change *changes;
} group;

/* NULL if the edge is as the circuit says. */
static const met_edge_change *change_of(const group *g, met_edge_id edge)
{
    for (uint32_t i = 0; i < g->change_count; i++)
        if (g->changes[i].edge.id == edge.id)
            return &g->changes[i];
    return NULL;
}

static met_format format_of(const group *g, met_edge_id edge)
{
    const met_edge_change *change = change_of(g, edge);
    return change ? change->format : g->pricing->workload->circuit->edges[edge.id].format;
}

/* Bytes of the edge as it is, over those in the circuit's format. Where scales do not divide it, by bits of its values alone. */
static double share_of_bytes(const group *g, met_edge_id edge)
{
    const met_edge_change *change = change_of(g, edge);
    const met_workload *workload = g->pricing->workload;
    double bytes;
    if (!change || workload->edge_bytes[edge.id] <= 0)
        return 1;
    met_edge changed = workload->circuit->edges[edge.id];
    double bits = met_dtype_table[change->format.dtype].bits, before = met_dtype_table[changed.format.dtype].bits;
    changed.format = change->format;
    return met_edge_bytes(workload->circuit, &changed, &bytes) ? bytes / workload->edge_bytes[edge.id] : bits / before;
}

static bool has_node(const group *g, met_node_id node)
{
    uint32_t low = 0, high = g->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (g->nodes[middle].id < node.id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < g->count && g->nodes[low].id == node.id;
}

/* The readers of an edge from the first member of the group on. */
static const met_node_id *readers_from(const group *g, met_edge_id edge, const met_node_id **ret_end)
{
    const met_derivation *facts = g->pricing->workload->facts;
    const met_node_id *low = &facts->readers[facts->reader_begin[edge.id]];
    const met_node_id *high = *ret_end = &facts->readers[facts->reader_begin[edge.id + 1]];
    while (low < high) {
        const met_node_id *middle = low + (high - low) / 2;
        if (middle->id < g->nodes[0].id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Whether it must be stored whatever the members read: its rule says so, it is kept, or read outside, or by nobody. */
static bool leaves(const group *g, met_edge_id edge)
{
    const met_derivation *facts = g->pricing->workload->facts;
    const met_edge_change *change = change_of(g, edge);
    if ((change && change->stored) || facts->kept[edge.id] || facts->reader_begin[edge.id] == facts->reader_begin[edge.id + 1])
        return true;
    for (uint32_t r = facts->reader_begin[edge.id]; r < facts->reader_begin[edge.id + 1]; r++)
        if (!has_node(g, facts->readers[r]))
            return true;
    return false;
}

/* Whether what the node gives lies where its first input does: a cut, or a state that it appends to. */
static bool stays_in_place(const met_workload *workload, uint32_t node)
{
    return workload->nodes[node].moves_nothing || met_node_appends(workload->circuit, &workload->circuit->nodes[node]);
}

/* How many of `wanted` bytes of an edge come from outside of the group: all, if it is made outside; none, if it is made
 * here; of a state that is appended to here, what was there before; of a cut, as for what is cut. */
static double from_outside(const group *g, met_edge_id edge, double wanted)
{
    const met_workload *workload = g->pricing->workload;
    double all = wanted;
    for (;;) {
        met_node_id producer = workload->circuit->edges[edge.id].producer;
        if (producer.id == MET_NONE || !has_node(g, producer))
            return all;
        if (!stays_in_place(workload, producer.id))
            return 0;
        if (!workload->nodes[producer.id].moves_nothing)
            all *= 1 - workload->out_bytes[edge.id] / workload->edge_bytes[edge.id];
        edge = workload->circuit->nodes[producer.id].ins[0];
    }
}

/* What a node reads of an edge: the most that one of its inputs does; an edge that its guards look into, whole. */
static double read_of(const met_workload *workload, uint32_t n, met_edge_id edge)
{
    const met_node *node = &workload->circuit->nodes[n];
    double most = -1;
    for (uint32_t k = 0; k < node->in_count; k++)
        if (node->ins[k].id == edge.id)
            most = fmax(most, workload->nodes[n].in_bytes[k]);
    return most < 0 ? workload->edge_bytes[edge.id] : most;
}

typedef struct reading {
    const group *group;
    uint32_t node;
    double weights, others; /* the sum so far */
} reading;

/* Counts an edge at the first member that reads it, as much of it as any member does. */
static void read_edge(void *context, met_edge_id edge)
{
    reading *r = context;
    const met_workload *workload = r->group->pricing->workload;
    const met_node_id *end, *reader = readers_from(r->group, edge, &end);
    uint32_t last = r->group->nodes[r->group->count - 1].id;
    while (reader < end && reader->id < r->node)
        if (has_node(r->group, *reader++))
            return;
    double most = 0;
    for (; reader < end && reader->id <= last; reader++)
        if (has_node(r->group, *reader))
            most = fmax(most, read_of(workload, reader->id, edge));
    double bytes = from_outside(r->group, edge, most) * share_of_bytes(r->group, edge);
    if (workload->circuit->edges[edge.id].role == MET_EDGE_PARAMETER)
        r->weights += bytes;
    else
        r->others += bytes;
}

/* An edge that a node reads twice, or whose guards and those of what it makes look into one array, counts once. */
typedef struct each_once {
    reading *reading;
    uint32_t count;
    met_edge_id seen[EDGES_OF_NODE];
} each_once;

static void read_once(void *context, met_edge_id edge)
{
    each_once *e = context;
    for (uint32_t k = 0; k < e->count; k++)
        if (e->seen[k].id == edge.id)
            return;
    if (e->count < EDGES_OF_NODE)
        e->seen[e->count++] = edge;
    read_edge(e->reading, edge);
}

/* An edge lies in memory already where it is a cut of something outside, or of something that is stored itself. */
static double stored_bytes(const group *g, met_edge_id edge)
{
    const met_workload *workload = g->pricing->workload;
    double bytes = workload->out_bytes[edge.id] * share_of_bytes(g, edge);
    met_edge_id at = edge;
    if (!leaves(g, edge))
        return 0;
    for (;;) {
        met_node_id producer = workload->circuit->edges[at.id].producer;
        if (producer.id == MET_NONE || !has_node(g, producer))
            return 0;
        if (!workload->nodes[producer.id].moves_nothing)
            return bytes;
        at = workload->circuit->nodes[producer.id].ins[0];
        if (leaves(g, at))
            return 0;
    }
}

/* --- Levels --- */

/* Bytes of an element of the narrower operand of a contraction. */
static double operand_bytes(const group *g, const met_node *node, const met_node_work *work)
{
    double narrow = g->change_count > 0 ? INFINITY : work->operand_bytes;
    for (uint32_t k = 0; k < 2 && g->change_count > 0; k++)
        narrow = fmin(narrow, met_dtype_table[format_of(g, node->ins[k]).dtype].bits / 8.0);
    return narrow;
}

/* Bytes that contractions move through a level below which `capacity` bytes stand, at least: 2·products/√M operands, M in
 * operands, for each whose both operands come from outside of the group, where it folds 2√M terms or more (docs/cost.md;
 * several share the level, so their sum is a bound as well). */
static double contraction_bound(const group *g, double capacity)
{
    const met_workload *workload = g->pricing->workload;
    double bound = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        const met_node *node = &workload->circuit->nodes[g->nodes[i].id];
        const met_node_work *work = &workload->nodes[g->nodes[i].id];
        if (work->products == 0)
            continue;
        double operand = operand_bytes(g, node, work), root = sqrt(capacity / operand);
        bool outside = true;
        for (uint32_t k = 0; k < 2 && outside; k++)
            outside = from_outside(g, node->ins[k], 1) == 1;
        if (outside && work->folded >= 2 * root)
            bound += operand * 2 * work->products / root;
    }
    return bound;
}

/* --- Time and energy --- */

double met_device_peak(const met_device *device, met_peak peak, bool no_fp4_unit)
{
    static const met_peak wider[MET_PEAK_COUNT] = { [MET_PEAK_F32] = MET_PEAK_BF16, [MET_PEAK_BF16] = MET_PEAK_F32,
                                                    [MET_PEAK_FP8] = MET_PEAK_BF16, [MET_PEAK_NVFP4] = MET_PEAK_FP8 };
    if (peak == MET_PEAK_NVFP4 && no_fp4_unit)
        peak = MET_PEAK_FP8;
    for (int step = 0; step < MET_PEAK_COUNT && device->peak[peak] <= 0; step++)
        peak = wider[peak];
    return device->peak[peak];
}

void met_price_time(const met_device *device, double compute_s, met_price *price)
{
    double most = compute_s;
    price->bound = MET_BOUND_COMPUTE;
    for (uint32_t l = device->level_count; l-- > 0;) {
        double seconds = price->level_bytes[l] / device->levels[l].bytes_per_s;
        if (seconds > most) {
            most = seconds;
            price->bound = (int)l;
        }
    }
    double launch = price->launches * device->launch_s;
    if (launch > most)
        price->bound = MET_BOUND_LAUNCH;
    price->bound_s = price->seconds = most + launch;
}

static void price_energy(const met_device *device, met_price *price)
{
    bool modelled = device->joule_per_byte > 0 && device->joule_per_flop > 0;
    price->joules_are = modelled ? MET_JOULES_MODELLED : MET_JOULES_UNAVAILABLE;
    price->joules = modelled ? price->bytes * device->joule_per_byte + price->flops * device->joule_per_flop : NAN;
}

/* --- Groups --- */

double met_repeat_count(met_repeat repeat, uint32_t chunk, uint64_t rows)
{
    switch (repeat) {
    case MET_REPEAT_PER_ROW:
        return (double)rows;
    case MET_REPEAT_PER_ROW_BUT_LAST:
        return rows > 0 ? (double)(rows - 1) : 0;
    case MET_REPEAT_CHUNK:
        return chunk > 0 ? (double)(rows / chunk + (rows % chunk != 0)) : 1;
    case MET_REPEAT_ONCE:
    case MET_REPEAT_PER_RUN:
        break;
    }
    return 1;
}

static reading read_all(const group *g)
{
    reading r = { .group = g };
    const met_circuit *circuit = g->pricing->workload->circuit;
    for (uint32_t i = 0; i < g->count; i++) {
        const met_node *node = &circuit->nodes[g->nodes[i].id];
        r.node = g->nodes[i].id;
        if (!g->pricing->workload->nodes[r.node].moves_nothing)
            met_node_reads(circuit, node, read_once, &(each_once){ .reading = &r });
    }
    return r;
}

static double store_all(const group *g)
{
    double bytes = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        const met_node *node = &g->pricing->workload->circuit->nodes[g->nodes[i].id];
        for (uint32_t k = 0; k < node->out_count; k++)
            bytes += stored_bytes(g, node->outs[k]);
    }
    return bytes;
}

/* Seconds of the arithmetic; adds up the flops. */
static double compute(const group *g, double share, met_price *price)
{
    double seconds = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        const met_node_work *work = &g->pricing->workload->nodes[g->nodes[i].id];
        met_peak kind = (met_peak)work->peak;
        if (g->change_count > 0 && work->activation.id != MET_NONE)
            kind = met_peak_of(format_of(g, work->activation), work->reads_weights);
        double peak = met_device_peak(g->pricing->device, kind, g->pricing->no_fp4_unit);
        price->flops += work->flops * share;
        seconds += work->flops * share / peak;
    }
    return seconds;
}

static bool is_cuts(const group *g)
{
    for (uint32_t i = 0; i < g->count; i++)
        if (!g->pricing->workload->nodes[g->nodes[i].id].moves_nothing)
            return false;
    return true;
}

met_price met_price_group(const met_pricing *pricing, const met_priced_group *of)
{
    const met_device *device = pricing->device;
    group g = { pricing, of->count, of->nodes, of->change_count, of->changes };
    met_price price = { 0 };
    double times = met_repeat_count(of->repeat, of->chunk, of->rows);
    double share = of->repeat == MET_REPEAT_PER_ROW_BUT_LAST && of->rows > 0 ? times / (double)of->rows : 1; /* of the rows */
    uint32_t last = device->level_count - 1;
    reading r = read_all(&g);
    price.launches = is_cuts(&g) ? 0 : times;
    price.bytes = r.weights * times + (r.others + store_all(&g)) * share;
    double compute_s = compute(&g, share, &price);
    for (uint32_t l = 0; l <= last && l < MET_PRICE_LEVELS; l++) {
        bool inner = l > 0 && l < last && times > 0;
        double bound = inner ? share * contraction_bound(&g, (double)device->levels[l - 1].capacity_bytes) : 0;
        price.level_bytes[l] = fmax(price.bytes, bound);
    }
    met_price_time(device, compute_s, &price);
    price.modelled_s = price.seconds;
    price.measured = pricing->measured && pricing->measured(pricing->context, of->count, of->nodes, &price.seconds);
    if (price.measured)
        price.bound_s = price.seconds;
    price_energy(device, &price);
    return price;
}
