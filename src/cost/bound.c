#include "cost/bound.h"

#include <math.h>

static double size_of(const met_cost_problem *p, met_loops loops)
{
    double size = 1;
    for (; loops; loops &= loops - 1)
        size *= (double)p->loops[__builtin_ctzll(loops)].size;
    return size;
}

static bool is_contraction(const met_kernel *kernel)
{
    if (kernel->step_count != 1 || !kernel->steps[0].reduced)
        return false;
    const met_node *node = &kernel->circuit->nodes[kernel->steps[0].node.id];
    if (node->op->form != MET_FORM_FOLD || node->in_count != 2 || node->out_count != 1)
        return false;
    met_primitive form = met_node_primitive(kernel->circuit, node);
    return form.product && form.monoid == MET_MONOID_ADD;
}

static bool is_plain(const met_cost_problem *p)
{
    for (uint32_t a = 0; a < p->array_count; a++)
        if (p->arrays[a].shape.window_count > 0 || p->arrays[a].direction != (a < 2 ? MET_COST_IN : MET_COST_OUT))
            return false;
    return p->array_count == 3;
}

bool met_cost_lower_bound(const met_kernel *kernel, const met_cost_problem *p, uint64_t capacity, double *ret_bound)
{
    if (!is_contraction(kernel) || !is_plain(p))
        return false;
    met_loops left = p->arrays[0].shape.loops, right = p->arrays[1].shape.loops, out = p->arrays[2].shape.loops;
    met_loops batch = left & right & out, rows = left & out & ~right, columns = right & out & ~left;
    met_loops folded = left & right & ~out;
    if ((left | right | out) != (batch | rows | columns | folded))
        return false;
    double narrow = (double)(p->arrays[0].weight < p->arrays[1].weight ? p->arrays[0].weight : p->arrays[1].weight);
    double least = fmin(narrow, (double)p->arrays[2].weight), root = sqrt((double)capacity / least);
    double a = size_of(p, rows), b = size_of(p, folded), c = size_of(p, columns);
    if (b < 2 * root)
        return false;
    double bound = size_of(p, batch) * (narrow * 2 * a * b * c / root + (double)p->arrays[2].weight * a * c);
    *ret_bound = fmax(bound, (double)met_cost_compulsory(p));
    return true;
}
