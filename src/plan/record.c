/* The arithmetic of a group as text:
 *
 *     point f32, pow2
 *     %0 = map a*0.5 of x0:bf16 -> f32
 *     %1 = fold add a*b of %0:f32, x1:bf16 -> f32; sequential; fma
 *     rescale %1 by pow2
 *     functions: expp polynomial
 *
 * Every primitive has its formula, the formats in which its operands stand and its result is rounded (whether it is stored
 * or handed on inside), and its tree; whether products are fused into additions; whether terms may be left out (`live`).
 * A division that settling moved behind a contraction is `behind` it. x0, x1 … are what comes from outside.
 *
 * Lines are in an order that follows from the arithmetic: a line comes after those whose results it reads, and of those that
 * can come next the one whose own text, with the texts of all that it is made of, is the least. */
#include <string.h>

#include "base/digest.h"
#include "ir/primitive.h"
#include "plan/region.h"
#include "plan/shape.h"

typedef struct recorder {
    const met_settled *settled;
    const met_circuit *circuit;
    const met_derivation *facts;
    met_arena *arena; /* scratch */
    uint32_t count;
    const met_node_id *nodes;
    met_map *place;       /* by edge made here: its node's place in `nodes` */
    met_map *outside;     /* by edge from outside: its number */
    uint32_t outside_count;
    const char **key;     /* by place: text of all that it is */
    uint32_t *number;     /* by place: of its line; MET_NONE before */
    bool calls[MET_FN_COUNT];
} recorder;

/* --- Names --- */

/* The functions that are more than correctly rounded arithmetic, and what they are. NULL: basic. */
static const char *const functions[MET_FN_COUNT] = {
    [MET_FN_pow] = "library",   [MET_FN_exp] = "library",   [MET_FN_exp2] = "library",    [MET_FN_log] = "library",
    [MET_FN_log2] = "library",  [MET_FN_sin] = "library",   [MET_FN_cos] = "library",     [MET_FN_tanh] = "library",
    [MET_FN_erf] = "library",   [MET_FN_sigmoid] = "library", [MET_FN_exp2p] = "polynomial", [MET_FN_expp] = "polynomial",
    [MET_FN_tanhp] = "polynomial", [MET_FN_erfp] = "polynomial", [MET_FN_rsqrt] = "1/sqrt, rounded twice",
};

static met_str index_name(void *context, uint32_t index)
{
    met_text text = met_text_new(((recorder *)context)->arena);
    met_text_format(&text, "%u", index);
    return met_str_of(met_text_done(&text));
}

static met_str size_name(void *context, met_size symbol)
{
    return met_circuit_size_name((void *)((recorder *)context)->circuit, symbol);
}

static bool never_taken(void *context, met_str name)
{
    (void)context;
    (void)name;
    return false;
}

/* --- One line --- */

static void note_calls(recorder *r, const met_scalar *e)
{
    if (!e || e->kind != MET_SCALAR_CALL)
        return;
    r->calls[e->fn] = true;
    for (int i = 0; i < 3; i++)
        note_calls(r, e->arguments[i]);
}

static const char *monoid_name(met_monoid monoid)
{
    static const char *const names[] = { "", "add", "mul", "max", "min", "or" };
    return names[monoid];
}

static void put_format(const recorder *r, met_text *out, met_edge_id edge)
{
    met_format_print(out, r->circuit->edges[edge.id].format);
}

static bool is_live(const recorder *r, const met_node *node)
{
    for (uint32_t k = 0; k < node->in_count; k++)
        if (r->circuit->edges[node->ins[k].id].guard_count > 0)
            return true;
    return false;
}

static void put_tree(const recorder *r, met_text *out, const met_node *node, const met_primitive *form)
{
    if (met_monoid_is_exact(form->monoid)) {
        met_text_put(out, "; exact");
        return;
    }
    met_dtype precision = r->settled->point.dtype == MET_F64 ? MET_F64 : MET_F32;
    met_tree tree = met_point_tree(&r->settled->point, r->circuit, node);
    met_text_put(out, "; ");
    met_tree_print(out, &tree, precision);
    bool fused = tree.contraction == MET_CONTRACT_FMA && met_tree_innermost(&tree) == MET_ORDER_SEQUENTIAL;
    if (form->product && node->in_count > 1)
        met_text_put(out, fused ? "; fma" : "; mul, add");
}

/* Whether the node divides a contraction's result that is work of the same written node: settling put it there. */
static bool stands_behind(const recorder *r, const met_node *node, uint32_t n)
{
    uint32_t producer = node->in_count ? r->circuit->edges[node->ins[0].id].producer.id : MET_NONE;
    return producer != MET_NONE && r->settled->origin[producer] == r->settled->origin[n] &&
           met_node_is_contraction(&r->circuit->nodes[producer]) && node->in_count > 1;
}

/* What comes before the operands. */
static void put_form(recorder *r, met_text *out, const met_node *node, const met_primitive *form)
{
    const met_scalar_names names = { r, size_name, index_name, never_taken, NULL };
    uint32_t folds = 0;
    for (uint32_t i = 0; i < node->index_count; i++)
        folds += node->indices[i].reduced && form->form != MET_FORM_READ;
    met_text_put(out, form->form == MET_FORM_PICK ? "pick " : form->form == MET_FORM_READ ? "read " : "");
    if (form->monoid != MET_MONOID_NONE)
        met_text_format(out, "fold %s over %u, ", monoid_name(form->monoid), folds);
    else if (form->form == MET_FORM_FOLD)
        met_text_put(out, "map ");
    if (!form->e)
        return;
    note_calls(r, form->e);
    met_scalar_print(out, form->e, &names);
}

/* What comes behind them. */
static void put_ends(const recorder *r, met_text *out, uint32_t n, const met_primitive *form)
{
    const met_node *node = &r->circuit->nodes[n];
    met_text_put(out, " ->");
    for (uint32_t k = 0; k < node->out_count; k++) {
        met_text_char(out, ' ');
        put_format(r, out, node->outs[k]);
    }
    if (form->monoid != MET_MONOID_NONE)
        put_tree(r, out, node, form);
    if (form->monoid == MET_MONOID_NONE && stands_behind(r, node, n))
        met_text_put(out, "; behind");
    if (form->monoid != MET_MONOID_NONE && is_live(r, node))
        met_text_put(out, "; live");
}

/* --- Order --- */

/* The line with what operands are made of instead of their names, as a digest: texts would double with every use. */
static const char *key_of(recorder *r, uint32_t place)
{
    uint32_t n = r->nodes[place].id;
    const met_node *node = &r->circuit->nodes[n];
    const met_primitive *form = &r->facts->forms[n];
    met_text text = met_text_new(r->arena);
    put_form(r, &text, node, form);
    for (uint32_t k = 0; k < node->in_count; k++) {
        uint32_t from;
        met_text_put(&text, k ? ", " : " of ");
        put_format(r, &text, node->ins[k]);
        if (met_map_get_pair(r->place, node->ins[k].id, 0, &from))
            met_text_format(&text, "(%s %u)", r->key[from], r->circuit->edges[node->ins[k].id].producer_output);
    }
    put_ends(r, &text, n, form);
    return met_digest(r->arena, (met_str){ met_text_done(&text), text.length });
}

static bool is_ready(const recorder *r, uint32_t place)
{
    const met_node *node = &r->circuit->nodes[r->nodes[place].id];
    for (uint32_t k = 0; k < node->in_count; k++) {
        uint32_t from;
        if (met_map_get_pair(r->place, node->ins[k].id, 0, &from) && r->number[from] == MET_NONE)
            return false;
    }
    return true;
}

static uint32_t next_place(const recorder *r)
{
    uint32_t best = MET_NONE;
    for (uint32_t p = 0; p < r->count; p++)
        if (r->number[p] == MET_NONE && (best == MET_NONE || strcmp(r->key[p], r->key[best]) < 0) && is_ready(r, p))
            best = p;
    return best;
}

/* --- The whole --- */

static void put_operand(recorder *r, met_text *out, met_edge_id edge)
{
    uint32_t number, output = r->circuit->edges[edge.id].producer_output;
    if (met_map_get_pair(r->place, edge.id, 0, &number)) {
        met_text_format(out, "%%%u", r->number[number]);
        if (output > 0)
            met_text_format(out, ".%u", output);
    } else {
        if (!met_map_get_pair(r->outside, edge.id, 0, &number))
            met_map_set_pair(r->outside, edge.id, 0, number = r->outside_count++);
        met_text_format(out, "x%u", number);
    }
    met_text_char(out, ':');
    put_format(r, out, edge);
}

static void put_line(recorder *r, met_text *out, uint32_t place)
{
    uint32_t n = r->nodes[place].id;
    const met_node *node = &r->circuit->nodes[n];
    met_text_format(out, "%%%u = ", r->number[place]);
    put_form(r, out, node, &r->facts->forms[n]);
    for (uint32_t k = 0; k < node->in_count; k++) {
        met_text_put(out, k ? ", " : " of ");
        put_operand(r, out, node->ins[k]);
    }
    put_ends(r, out, n, &r->facts->forms[n]);
    met_text_char(out, '\n');
}

/* What the group's kernels multiply accumulators with when a running base moves, in the order of the lines. */
static bool put_rescaling(recorder *r, met_text *out, const met_plan_options *options)
{
    met_refusal refusal;
    met_kernel_list list = { { 0 } };
    const char **by = MET_NEW_ARRAY(r->arena, const char *, r->count);
    if (!met_region_kernels(r->facts, options, r->arena, r->count, r->nodes, &list, &refusal))
        return false;
    for (size_t i = 0; i < list.at.count; i++) {
        const met_kernel *kernel = list.at.at[i];
        for (uint32_t a = 0; a < kernel->accumulator_count; a++) {
            const met_kernel_accumulator *accumulator = &kernel->accumulators[a];
            uint32_t place, edge = kernel->values[accumulator->value].edge.id;
            if (accumulator->base != MET_NONE && met_map_get_pair(r->place, edge, 0, &place))
                by[r->number[place]] = accumulator->exact ? "pow2" : "float";
        }
    }
    for (uint32_t line = 0; line < r->count; line++)
        if (by[line])
            met_text_format(out, "rescale %%%u by %s\n", line, by[line]);
    return true;
}

static void put_functions(const recorder *r, met_text *out)
{
    bool any = false;
    for (int f = 0; f < MET_FN_COUNT; f++) {
        if (!r->calls[f] || !functions[f])
            continue;
        met_text_format(out, "%s%s %s", any ? ", " : "functions: ", met_scalar_fn_table[f].spelling, functions[f]);
        any = true;
    }
    met_text_put(out, any ? "\n" : "");
}

/* False if a node has no arithmetic of its own. */
static bool print_record(recorder *r, met_text *out, const met_plan_options *options)
{
    static const char *const numerics[] = { "real", "float", "pow2" };
    for (uint32_t p = 0; p < r->count; p++) {
        const met_node *node = &r->circuit->nodes[r->nodes[p].id];
        if (r->facts->forms[r->nodes[p].id].form == MET_FORM_COMPOSITE)
            return false;
        r->number[p] = MET_NONE;
        r->key[p] = key_of(r, p);
        for (uint32_t k = 0; k < node->out_count; k++)
            met_map_set_pair(r->place, node->outs[k].id, 0, p);
    }
    met_text_format(out, "point %s, %s\n", r->settled->point.dtype == MET_F64 ? "f64" : "f32", numerics[r->settled->point.numerics]);
    for (uint32_t line = 0; line < r->count; line++) {
        uint32_t place = next_place(r);
        r->number[place] = line;
        put_line(r, out, place);
    }
    bool good = put_rescaling(r, out, options);
    put_functions(r, out);
    return good;
}

static const char *record_of(met_region_judge *judge, met_arena *scratch, uint32_t count, const met_node_id *nodes)
{
    recorder r = { .settled = judge->settled, .circuit = judge->settled->circuit, .facts = judge->facts, .arena = scratch,
                   .count = count, .nodes = nodes, .place = met_map_new(scratch), .outside = met_map_new(scratch),
                   .key = MET_NEW_ARRAY(scratch, const char *, count), .number = MET_NEW_ARRAY(scratch, uint32_t, count) };
    met_text text = met_text_new(scratch);
    return print_record(&r, &text, &judge->options) ? met_arena_text(r.circuit->arena, text.at, text.length) : NULL;
}

const char *met_settled_record(void *context, uint32_t count, const met_node_id *nodes)
{
    met_region_judge *judge = context;
    met_arena *scratch = met_arena_new();
    met_node_id *settled = MET_NEW_ARRAY(scratch, met_node_id, met_settled_nodes(judge->settled, count, nodes, NULL));
    uint32_t number, settled_count = met_settled_nodes(judge->settled, count, nodes, settled);
    met_text shape = met_text_new(scratch);
    met_shape_print(&shape, judge->facts, settled_count, settled);
    for (uint32_t k = 0; k < settled_count; k++) /* where a division came from is not in the shape */
        met_text_format(&shape, "%u ", judge->settled->origin[settled[k].id] - judge->settled->origin[settled[0].id]);
    met_str key = { met_text_done(&shape), shape.length };
    if (!met_map_get(judge->record_numbers, key, &number)) {
        met_map_set(judge->record_numbers, key, number = (uint32_t)judge->records.count);
        MET_PUSH(judge->facts->circuit->arena, &judge->records, record_of(judge, scratch, settled_count, settled));
    }
    met_arena_free(scratch);
    return judge->records.at[number];
}
