#include "parity/numerics.h"

#include <string.h>

#include "ir/primitive.h"
#include "parity/operands.h"
#include "parity/scales.h"
#include "realize/form.h"

/* Every node as the point has it. */
static met_node_numerics *of_point(const met_settled *settled)
{
    const met_circuit *circuit = settled->circuit;
    met_node_numerics *nodes = MET_NEW_ARRAY(circuit->arena, met_node_numerics, circuit->node_count);
    for (uint32_t n = 0; n < circuit->node_count; n++) {
        const met_node *node = &circuit->nodes[n];
        nodes[n] = (met_node_numerics){ .folds = met_node_has_tree(circuit, node), .source = MET_NUMERICS_POINT, .group = MET_NONE,
                                        .kernel = "", .terms = met_node_terms(circuit, node) };
        nodes[n].tree = met_point_tree(&settled->point, circuit, node);
    }
    return nodes;
}

static const met_plan_numerics *done(const met_settled *settled, const met_node_numerics *nodes)
{
    met_plan_numerics *numerics = MET_NEW(settled->circuit->arena, met_plan_numerics);
    *numerics = (met_plan_numerics){ settled, nodes };
    return numerics;
}

const met_plan_numerics *met_numerics_of_point(const met_settled *settled)
{
    return done(settled, of_point(settled));
}

/* --- Of a program --- */

static const char *kernel_of(const met_launch *launch)
{
    return launch->form ? launch->form->form : "";
}

const met_plan_numerics *met_numerics_of_program(const met_settled *settled, const met_program *program)
{
    met_node_numerics *nodes = of_point(settled);
    for (uint32_t n = 0; n < settled->circuit->node_count; n++)
        nodes[n].source = nodes[n].folds ? MET_NUMERICS_UNDECLARED : MET_NUMERICS_SCHEDULE;
    for (uint32_t l = 0; l < program->launch_count; l++) {
        const met_launch *launch = &program->launches[l];
        const met_kernel *kernel = launch->group == MET_NONE ? NULL : program->plan->groups[launch->group];
        for (uint32_t s = 0; kernel && s < kernel->step_count; s++) {
            nodes[kernel->steps[s].node.id].group = launch->group;
            nodes[kernel->steps[s].node.id].kernel = kernel_of(launch);
        }
        for (uint32_t r = 0; r < launch->record_count; r++) {
            met_node_numerics *node = &nodes[launch->records[r].node.id];
            node->source = MET_NUMERICS_SCHEDULE;
            node->tree = launch->records[r].tree;
        }
    }
    return done(settled, nodes);
}

/* --- Of a lowering --- */

/* A family whose points differ in `dot` takes the dot product that the point has, whatever its tree says of single terms. */
static bool takes_dot(const met_family *family)
{
    for (uint32_t p = 0; p < family->param_count; p++)
        if (family->params[p].extract == MET_EXTRACT_SETTING && strcmp(family->params[p].argument, "dot") == 0)
            return true;
    return false;
}

/* What the family declares for its operands, if that is what these are. */
static void declare_fold(met_node_numerics *node, const met_lkb *lkb, const met_circuit *circuit, uint32_t n, met_op_id op,
                         const met_declared *declared)
{
    const met_lkb_unit *unit = met_tree_unit(lkb, declared->tree);
    node->why = met_operands_refused(lkb, circuit, n, op, declared);
    if (node->why) {
        node->takes = unit ? &unit->inputs : NULL;
        return;
    }
    met_tree whole;
    const char *why;
    bool groups = declared->family->scales_groups && met_node_is_scaled(circuit, &circuit->nodes[n]) &&
                  met_node_scale_group(circuit, &circuit->nodes[n], &node->code_group, &why) &&
                  met_tree_by_groups(&declared->tree->tree, node->code_group, node->terms, &whole);
    node->code_group = groups ? node->code_group : 0;
    bool pairs = node->tree.node == MET_NODE_PAIRS && takes_dot(declared->family);
    met_tree bound;
    if (!met_declared_bind(lkb, declared->tree, circuit, &circuit->nodes[n], &bound, &node->why))
        return;
    node->source = MET_NUMERICS_FAMILY;
    node->tree = groups ? whole : bound;
    node->tree_id = declared->tree->id;
    if (pairs && node->tree.node == MET_NODE_ADD)
        node->tree.node = MET_NODE_PAIRS;
}

/* Recurrences are sequential whatever the point says, so that nothing but that is declared of them. */
static bool is_declared(const met_circuit *circuit, const met_node *node, const met_declared *declared)
{
    if (met_node_primitive(circuit, node).form != MET_FORM_SCAN)
        return declared->family != NULL;
    met_tree sequential = met_tree_sequential(MET_F32);
    return declared->tree && met_tree_equal(&declared->tree->tree, &sequential);
}

const met_plan_numerics *met_numerics_of_lowering(const met_lowering *lowering, const met_settled *settled)
{
    const met_circuit *written = lowering->circuit;
    met_node_numerics *nodes = of_point(settled);
    const met_lowering *alone = NULL;
    for (uint32_t n = 0; n < settled->circuit->node_count; n++) {
        uint32_t origin = settled->origin[n];
        const met_node *node = &written->nodes[origin];
        const char *op = node->op ? node->op->name : "";
        nodes[n].group = lowering->group_of[origin];
        nodes[n].source = MET_NUMERICS_UNDECLARED;
        met_declared declared = met_declared_in(lowering->lkb, lowering->hardware, &lowering->groups[nodes[n].group], op);
        nodes[n].kernel = declared.kernel ? declared.kernel : "";
        if (nodes[n].folds && declared.beside) {
            alone = alone ? alone : met_lowering_alone(lowering);
            if (!alone)
                return NULL;
            declared = met_declared_in(lowering->lkb, lowering->hardware, &alone->groups[alone->group_of[origin]], op);
        }
        if (nodes[n].folds && declared.tree)
            declare_fold(&nodes[n], lowering->lkb, settled->circuit, n, node->op ? node->op->id : MET_OP_COUNT, &declared);
        else if (!nodes[n].folds && is_declared(settled->circuit, &settled->circuit->nodes[n], &declared))
            nodes[n].source = MET_NUMERICS_FAMILY;
    }
    return done(settled, nodes);
}

const met_tree *met_numerics_trees(const met_plan_numerics *numerics)
{
    const met_circuit *circuit = numerics->settled->circuit;
    met_tree *trees = MET_NEW_ARRAY(circuit->arena, met_tree, circuit->node_count);
    for (uint32_t n = 0; n < circuit->node_count; n++)
        trees[n] = numerics->nodes[n].tree;
    return trees;
}
