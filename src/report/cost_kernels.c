/* The kernels that a report is about. Unfused, each op of the circuit is a kernel by itself, composites included, unless a
 * composite's rows do not fit the smallest level: then each of its primitives is one. Fused, they are those of the fused
 * plan, made for a memory without limit, so that costs say whether fusing pays. */
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

static bool add_kernel(finder *f, const met_kernel *kernel, const char *name)
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
    f->plan->kernel_count++;
    for (size_t i = 0; i < f->plan->kernels.count; i++)
        if (same_problem(f->plan->kernels.at[i].problem, k.problem)) {
            f->plan->kernels.at[i].count++;
            return true;
        }
    k.has_form = met_cost_form_of(f->arena, k.tiles, &k.form);
    k.bound_sizes = sizes_known(k.problem);
    f->report->bound_sizes = f->report->bound_sizes && k.bound_sizes;
    MET_PUSH(f->arena, &f->plan->kernels, k);
    return true;
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
    met_text_format(&text, "%u nodes ->", kernel->step_count);
    for (uint32_t v = 0, shown = 0; v < kernel->value_count; v++) {
        if (!kernel->values[v].is_output || ++shown > 3)
            continue;
        met_text_format(&text, "%s %s", shown > 1 ? "," : "",
                        shown == 3 ? "…" : met_sym_text(f->report->session, f->circuit->edges[kernel->values[v].edge.id].name));
    }
    return met_text_done(&text);
}

/* --- Unfused --- */

static uint64_t least_capacity(const met_report_request *r)
{
    return r->level_count ? r->levels[r->level_count - 1].capacity : (uint64_t)r->range.from;
}

static bool rows_fit(finder *f, const met_kernel *kernel)
{
    const met_cost_problem *p = met_cost_of_kernel(f->arena, kernel, &f->report->request.view);
    uint64_t capacity = least_capacity(&f->report->request);
    if (!p || capacity == 0 || !sizes_known(p))
        return true;
    return met_cost_least_memory(p) <= met_beyond_mul(capacity, p->unit);
}

static bool add_range(finder *f, uint32_t begin, uint32_t end, const char *name)
{
    met_node_id *nodes = MET_NEW_ARRAY(f->arena, met_node_id, end - begin);
    met_refusal refusal;
    for (uint32_t n = begin; n < end; n++)
        nodes[n - begin].id = n;
    const met_kernel *kernel = met_derivation_kernel(f->facts, f->arena, end - begin, nodes, NULL, &refusal);
    if (kernel && (end - begin == 1 || rows_fit(f, kernel)))
        return add_kernel(f, kernel, name);
    if (end - begin == 1) {
        met_diag_add(f->report->session, MET_DIAG_cost, f->circuit->nodes[begin].span, "this is no kernel: %s", refusal.reason);
        return false;
    }
    for (uint32_t n = begin; n < end; n++)
        if (!add_range(f, n, n + 1, op_name(f->circuit, &f->circuit->nodes[n])))
            return false;
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
        if (begin[n] < begin[n + 1] && !add_range(f, begin[n], begin[n + 1], op_name(circuit, &circuit->nodes[n])))
            return false;
    return true;
}

/* --- Fused --- */

/* With free sizes there is no plan: the whole circuit as one kernel, or else every node. */
static bool find_unplanned(finder *f)
{
    met_node_id *nodes = MET_NEW_ARRAY(f->arena, met_node_id, f->circuit->node_count);
    met_refusal refusal;
    f->facts = met_derivation_new(f->circuit);
    for (uint32_t n = 0; n < f->circuit->node_count; n++)
        nodes[n].id = n;
    const met_kernel *kernel = met_derivation_kernel(f->facts, f->arena, f->circuit->node_count, nodes, NULL, &refusal);
    if (kernel)
        return add_kernel(f, kernel, fused_name(f, kernel));
    for (uint32_t n = 0; n < f->circuit->node_count; n++)
        if (!add_range(f, n, n + 1, op_name(f->circuit, &f->circuit->nodes[n])))
            return false;
    return true;
}

static bool find_fused(finder *f, const met_circuit *circuit)
{
    const met_plan_options without_limit = { .capacity_bytes = (uint64_t)1 << 62 };
    f->circuit = met_circuit_settle(circuit, &f->report->request.point);
    if (!f->circuit)
        return false;
    if (!f->report->bound_sizes)
        return find_unplanned(f);
    const met_plan *plan = met_plan_make(f->circuit, &f->report->request.point, MET_PLANNER_FUSED, &without_limit);
    for (uint32_t g = 0; plan && g < plan->group_count; g++)
        if (!add_kernel(f, plan->groups[g], fused_name(f, plan->groups[g])))
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
    return find_unfused(&unfused, circuit) && find_fused(&fused, circuit);
}
