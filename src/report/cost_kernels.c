/* The kernels that a report is about. Unfused, each op of the circuit is a kernel by itself, composites included. Where the
 * rows of a kernel without a stream do not fit a level, each of its nodes is a kernel there. */
#include <string.h>

#include "base/diag.h"
#include "derive/derivation.h"
#include "ir/expand.h"
#include "report/cost.h"

typedef struct finder {
    met_report *report;
    met_report_plan *plan;
    const met_circuit *circuit; /* expanded or settled */
    const met_derivation *facts;
    met_arena *arena;
} finder;

/* --- Alike kernels --- */

static bool same_shape(const met_cost_shape *a, const met_cost_shape *b)
{
    bool same = a->loops == b->loops && a->window_count == b->window_count;
    for (uint32_t w = 0; same && w < a->window_count; w++) {
        const met_cost_window *x = &a->windows[w], *y = &b->windows[w];
        same = x->walk_count == y->walk_count && x->limit == y->limit;
        for (uint32_t k = 0; same && k < x->walk_count; k++)
            same = x->walks[k].loop == y->walks[k].loop && x->walks[k].coefficient == y->walks[k].coefficient;
    }
    return same;
}

/* Whatever they are called. */
static bool same_problem(const met_cost_problem *a, const met_cost_problem *b)
{
    bool same = a->loop_count == b->loop_count && a->order_count == b->order_count && a->group_count == b->group_count &&
                a->array_count == b->array_count && a->resident_count == b->resident_count && a->unit == b->unit &&
                memcmp(a->order, b->order, a->order_count * sizeof *a->order) == 0;
    for (uint32_t l = 0; same && l < a->loop_count; l++)
        same = a->loops[l].size == b->loops[l].size && a->loops[l].partition == b->loops[l].partition &&
               a->loops[l].granule == b->loops[l].granule && strcmp(a->loops[l].name, b->loops[l].name) == 0;
    for (uint32_t k = 0; same && k < a->array_count; k++)
        same = a->arrays[k].direction == b->arrays[k].direction && a->arrays[k].weight == b->arrays[k].weight &&
               a->arrays[k].passes == b->arrays[k].passes && same_shape(&a->arrays[k].shape, &b->arrays[k].shape);
    for (uint32_t k = 0; same && k < a->resident_count; k++)
        same = a->residents[k].weight == b->residents[k].weight && a->residents[k].first == b->residents[k].first &&
               a->residents[k].last == b->residents[k].last && same_shape(&a->residents[k].shape, &b->residents[k].shape);
    return same;
}

/* --- Adding one --- */

static bool sizes_known(const met_cost_problem *p)
{
    for (uint32_t l = 0; l < p->loop_count; l++)
        if (p->loops[l].size == 0)
            return false;
    return true;
}

static bool make_kernel(finder *f, const met_kernel *kernel, const char *name, met_report_kernel *ret_kernel)
{
    met_cost_view tiles_only = f->report->request.view;
    tiles_only.liveness = MET_LIVENESS_TILES;
    met_report_kernel k = { .kernel = kernel, .name = name, .count = 1 };
    k.problem = met_cost_of_kernel(f->arena, kernel, &f->report->request.view);
    k.tiles = k.problem ? met_cost_of_kernel(f->arena, kernel, &tiles_only) : NULL;
    if (!k.tiles) {
        met_diag_add(f->report->session, MET_DIAG_cost, (met_span){ 0, 0, 0 }, "the formats of `%s` have no common fraction", name);
        return false;
    }
    k.has_form = met_cost_form_of(f->arena, k.tiles, &k.form);
    if (met_cost_can_restream(kernel)) {
        met_cost_view inside = f->report->request.view;
        inside.restream = tiles_only.restream = true;
        k.restreamed = met_cost_of_kernel(f->arena, kernel, &inside);
        k.restreamed_tiles = met_cost_of_kernel(f->arena, kernel, &tiles_only);
        k.has_restreamed_form = met_cost_form_of(f->arena, k.restreamed_tiles, &k.restreamed_form);
    }
    *ret_kernel = k;
    return true;
}

static void add_kernel(finder *f, const met_report_kernel *k)
{
    f->plan->kernel_count++;
    for (size_t i = 0; i < f->plan->kernels.count; i++)
        if (same_problem(f->plan->kernels.at[i].problem, k->problem)) {
            f->plan->kernels.at[i].count++;
            return;
        }
    f->report->bound_sizes = f->report->bound_sizes && sizes_known(k->problem);
    MET_PUSH(f->arena, &f->plan->kernels, *k);
}

static const char *op_name(const met_circuit *circuit, const met_node *node)
{
    met_text text = met_text_new(circuit->arena);
    met_text_format(&text, "%s", node->op->name);
    if (node->out_count > 0)
        met_text_format(&text, " -> %s", met_sym_text(circuit->session, circuit->edges[node->outs[0].id].name));
    return met_text_done(&text);
}

/* Named by what leaves it. */
static const char *fused_name(finder *f, const met_kernel *kernel)
{
    if (kernel->step_count == 1)
        return op_name(f->circuit, &f->circuit->nodes[kernel->steps[0].node.id]);
    met_text text = met_text_new(f->arena);
    met_text_put(&text, "kernel ->");
    for (uint32_t v = 0, shown = 0; v < kernel->value_count; v++) {
        if (!kernel->values[v].is_output || ++shown > 3)
            continue;
        met_text_format(&text, "%s %s", shown > 1 ? "," : "",
                        shown == 3 ? "…" : met_sym_text(f->report->session, f->circuit->edges[kernel->values[v].edge.id].name));
    }
    return met_text_done(&text);
}

/* --- Unfused --- */

/* The kernel of a stretch of nodes; NULL with a refusal. */
static const met_kernel *kernel_of(finder *f, uint32_t begin, uint32_t end, met_refusal *ret_refusal)
{
    met_node_id *nodes = MET_NEW_ARRAY(f->arena, met_node_id, end - begin);
    for (uint32_t n = begin; n < end; n++)
        nodes[n - begin].id = n;
    return met_derivation_kernel(f->facts, f->arena, end - begin, nodes, NULL, ret_refusal);
}

static bool make_node(finder *f, uint32_t n, met_report_kernels *ret_kernels)
{
    met_report_kernel k;
    met_refusal refusal;
    const met_kernel *kernel = kernel_of(f, n, n + 1, &refusal);
    if (!kernel) {
        met_diag_add(f->report->session, MET_DIAG_cost, f->circuit->nodes[n].span, "this is no kernel: %s", refusal.reason);
        return false;
    }
    if (!make_kernel(f, kernel, op_name(f->circuit, &f->circuit->nodes[n]), &k))
        return false;
    MET_PUSH(f->arena, ret_kernels, k);
    return true;
}

/* One kernel a node. */
static bool make_nodes(finder *f, uint32_t begin, uint32_t end, met_report_kernels *ret_kernels)
{
    for (uint32_t n = begin; n < end; n++)
        if (!make_node(f, n, ret_kernels))
            return false;
    return true;
}

/* An op that became these nodes: one kernel, or else one for each node. */
static bool add_op(finder *f, uint32_t begin, uint32_t end, const char *name)
{
    met_report_kernels nodes = { 0 };
    met_report_kernel whole;
    met_refusal refusal;
    const met_kernel *kernel = end - begin > 1 ? kernel_of(f, begin, end, &refusal) : NULL;
    if (!make_nodes(f, begin, end, &nodes) || (kernel && !make_kernel(f, kernel, name, &whole)))
        return false;
    for (size_t n = 0; n < nodes.count && !kernel; n++)
        add_kernel(f, &nodes.at[n]);
    if (!kernel)
        return true;
    whole.parts = nodes;
    add_kernel(f, &whole);
    return true;
}

static bool find_unfused(finder *f, const met_circuit *circuit)
{
    const met_point *point = &f->report->request.point;
    const uint32_t *begin;
    circuit = met_circuit_with_default(circuit, met_format_of(point->dtype));
    f->circuit = met_expand_traced(circuit, point->numerics, &begin);
    if (!f->circuit)
        return false;
    f->facts = met_derivation_new(f->circuit);
    for (uint32_t n = 0; n < circuit->node_count; n++)
        if (begin[n] < begin[n + 1] && !add_op(f, begin[n], begin[n + 1], op_name(circuit, &circuit->nodes[n])))
            return false;
    return true;
}

/* --- Fused --- */

static bool add_fused(finder *f, const met_kernel *kernel)
{
    met_report_kernel k;
    if (!make_kernel(f, kernel, fused_name(f, kernel), &k))
        return false;
    bool rows = kernel->stream == MET_NONE && kernel->step_count > 1;
    for (uint32_t s = 0; rows && s < kernel->step_count; s++)
        if (!make_node(f, kernel->steps[s].node.id, &k.parts))
            return false;
    add_kernel(f, &k);
    return true;
}

/* The capacity of the outermost level, in bytes. */
static uint64_t plan_capacity(const met_report_request *r)
{
    uint64_t capacity = r->level_count ? r->levels[0].capacity : r->range.to > 0 ? (uint64_t)r->range.to : (uint64_t)1 << 20;
    return r->view.measure == MET_COST_BYTES ? capacity : capacity * 4;
}

/* The whole circuit as one kernel, where it is one, whether that pays or not: it is what costs are asked for. Otherwise the
 * kernels of the plan; with free sizes there is none, and every node is a kernel. */
static bool find_fused(finder *f, const met_circuit *circuit)
{
    met_refusal refusal;
    f->circuit = met_circuit_settle(circuit, &f->report->request.point);
    if (!f->circuit)
        return false;
    f->facts = met_derivation_new(f->circuit);
    const met_kernel *whole = f->circuit->node_count ? kernel_of(f, 0, f->circuit->node_count, &refusal) : NULL;
    if (whole)
        return add_fused(f, whole);
    if (!f->report->bound_sizes) {
        met_report_kernels nodes = { 0 };
        if (!make_nodes(f, 0, f->circuit->node_count, &nodes))
            return false;
        for (size_t n = 0; n < nodes.count; n++)
            add_kernel(f, &nodes.at[n]);
        return true;
    }
    met_plan_options options = { .capacity_bytes = plan_capacity(&f->report->request) };
    const met_plan *plan = met_plan_make(f->circuit, &f->report->request.point, MET_PLANNER_FUSED, &options);
    for (uint32_t g = 0; plan && g < plan->group_count; g++)
        if (!add_fused(f, plan->groups[g]))
            return false;
    return plan != NULL;
}

static bool refuse_boxes(const met_circuit *circuit)
{
    for (uint32_t n = 0; n < circuit->node_count; n++) {
        if (circuit->nodes[n].op)
            continue;
        met_diag_add(circuit->session, MET_DIAG_cost, circuit->nodes[n].span, "a box has no meaning, and so no cost");
        return true;
    }
    return false;
}

static bool has_loop(const met_report *report, met_str name)
{
    for (int p = 0; p < 2; p++)
        for (size_t i = 0; i < report->plans[p].kernels.count; i++)
            for (uint32_t l = 0; l < report->plans[p].kernels.at[i].problem->loop_count; l++)
                if (met_str_is(name, report->plans[p].kernels.at[i].problem->loops[l].name))
                    return true;
    return false;
}

/* A granule of a loop that does not exist is a slip. */
static bool granules_used(const met_report *report)
{
    const met_cost_view *view = &report->request.view;
    for (uint32_t g = 0; g < view->granule_count; g++) {
        met_str name = view->granules[g].loop;
        if (met_str_is(name, "tile") || met_str_is(name, "stream") || has_loop(report, name))
            continue;
        met_diag *diag = met_diag_add(report->session, MET_DIAG_cost, (met_span){ 0, 0, 0 }, "no kernel has a loop `%.*s`", MET_STR_ARGS(name));
        met_diag_help(diag, "without --granule, the table lists the loops of every kernel");
        return false;
    }
    return true;
}

bool met_report_kernels_find(const met_circuit *circuit, const met_report_request *request, met_report *ret_report)
{
    met_report *r = ret_report;
    *r = (met_report){ .session = circuit->session, .request = *request, .bound_sizes = true };
    if (refuse_boxes(circuit))
        return false;
    finder unfused = { .report = r, .plan = &r->plans[MET_PLANNER_NONE], .arena = circuit->arena };
    finder fused = { .report = r, .plan = &r->plans[MET_PLANNER_FUSED], .arena = circuit->arena };
    r->plans[MET_PLANNER_NONE].planner = MET_PLANNER_NONE;
    r->plans[MET_PLANNER_FUSED].planner = MET_PLANNER_FUSED;
    return find_unfused(&unfused, circuit) && find_fused(&fused, circuit) && granules_used(r);
}
