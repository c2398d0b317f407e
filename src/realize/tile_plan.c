/* How each value and step of a kernel works on tiles, or why there is no tile program. */
#include "realize/tile.h"

bool met_tile_refuse(met_tile *tile, const char *reason)
{
    if (!tile->refusal)
        tile->refusal = reason;
    return false;
}

/* --- Values in memory --- */

static void make_nest(met_tile *tile)
{
    const met_kernel *kernel = tile->kernel;
    met_axis_id *axes = MET_NEW_ARRAY(tile->arena, met_axis_id, kernel->loop_count);
    const char **labels = MET_NEW_ARRAY(tile->arena, const char *, kernel->loop_count);
    for (uint32_t l = 0; l < kernel->loop_count; l++) {
        axes[l] = kernel->loops[l].axis;
        labels[l] = met_sym_text(kernel->circuit->session, kernel->loops[l].name);
    }
    tile->nest = met_nest_new(tile->w, kernel->circuit, kernel->loop_count, axes, labels);
}

/* Whether a step lists the value: arrays that only guards look into are not listed. */
static bool is_listed(const met_tile *tile, uint32_t value)
{
    for (uint32_t s = 0; s < tile->kernel->step_count; s++) {
        const met_node *node = met_tile_node(tile, s);
        for (uint32_t k = 0; k < node->in_count; k++)
            if (tile->kernel->steps[s].ins[k] == value)
                return true;
        for (uint32_t k = 0; k < node->out_count; k++)
            if (tile->kernel->steps[s].outs[k] == value)
                return true;
    }
    return false;
}

static bool place_values(met_tile *tile)
{
    const met_kernel *kernel = tile->kernel;
    for (uint32_t v = 0; v < kernel->value_count; v++) {
        const met_kernel_value *value = &kernel->values[v];
        met_tile_value *own = &tile->values[v];
        *own = (met_tile_value){ .column = MET_NONE, .stored = value->is_output, .gate = MET_NONE, .maker = MET_NONE,
                                 .tile = MET_NONE };
        if (!is_listed(tile, v))
            continue;
        if (!met_draft_holds(kernel->circuit->edges[value->edge.id].format))
            return met_tile_refuse(tile, "an array within it has a format that kernels do not hold");
        met_array_namer namer = met_draft_namer(tile->draft);
        met_nest_gates(tile->nest, value->edge, value->at, &namer, &own->guards);
        if (!value->is_input && !value->is_output)
            continue;
        const char *array = met_draft_array_of(tile->draft, value->edge, value->is_output);
        own->site = met_nest_place(tile->nest, array, array, value->edge, value->at, MET_NONE);
        if (own->site.inside.count > 0)
            return met_tile_refuse(tile, "it reads outside of an array");
    }
    for (uint32_t s = 0; s < kernel->step_count; s++)
        tile->values[met_tile_output(tile, s)].maker = s;
    return true;
}

/* --- Steps --- */

static bool class_step(met_tile *tile, uint32_t s)
{
    const met_node *node = met_tile_node(tile, s);
    met_tile_step *step = &tile->steps[s];
    *step = (met_tile_step){ .column = MET_NONE, .lanes = MET_NONE, .gate = MET_NONE };
    if (!node->op || node->op->form != MET_FORM_FOLD)
        return met_tile_refuse(tile, "it has a step that is neither a map nor a fold");
    step->form = met_node_primitive(tile->kernel->circuit, node);
    if (step->form.monoid == MET_MONOID_NONE) {
        step->kind = MET_TILE_MAP;
        return true;
    }
    met_tree tree = met_point_tree(tile->draft->point, tile->kernel->circuit, node);
    met_tree sequential = met_tree_sequential(MET_F32), lanes = met_tree_lanes(MET_F32, MET_LANES);
    if (met_node_is_contraction(node) && step->form.monoid == MET_MONOID_ADD) {
        step->kind = MET_TILE_CONTRACT;
        bool two = node->in_count == 2 && step->form.product;
        step->dot = tree.node == MET_NODE_PAIRS;
        tree.node = MET_NODE_ADD;
        return (two && met_tree_equal(&tree, &sequential)) ||
               met_tile_refuse(tile, "it has a contraction of more than two arrays, or along another tree");
    }
    step->kind = MET_TILE_FOLD;
    bool known = met_monoid_is_exact(step->form.monoid) || met_tree_equal(&tree, &lanes);
    return known || met_tile_refuse(tile, "it has a fold along a tree that tiles do not follow");
}

/* --- What follows from the roles --- */

/* The one column loop of a set; false if there are several. */
static bool column_of(met_tile *tile, met_loops loops, uint32_t *ret_column)
{
    *ret_column = MET_NONE;
    for (uint32_t l = 0; l < tile->kernel->loop_count; l++) {
        if (!(loops & met_loop_bit(l)) || tile->gone[l] || tile->role[l] != MET_ROLE_COLUMN)
            continue;
        if (*ret_column != MET_NONE)
            return met_tile_refuse(tile, "a value has two loops of columns");
        *ret_column = l;
    }
    return true;
}

static bool value_columns(met_tile *tile)
{
    const met_kernel *kernel = tile->kernel;
    met_loops shared = 0;
    for (uint32_t l = 0; l < kernel->loop_count; l++)
        shared |= tile->role[l] != MET_ROLE_COLUMN && !tile->gone[l] && tile->nest->size[l].value > 1
            ? met_loop_bit(l) : 0;
    for (uint32_t v = 0; v < kernel->value_count; v++) {
        bool operand = false; /* lanes of a contraction: k and columns, packed rather than read */
        for (uint32_t s = 0; s < kernel->step_count; s++)
            operand = operand || (tile->steps[s].kind == MET_TILE_CONTRACT &&
                                  kernel->steps[s].ins[tile->steps[s].lane_operand] == v);
        if (!operand && is_listed(tile, v) && !column_of(tile, kernel->values[v].loops, &tile->values[v].column))
            return false;
        if (tile->values[v].stored && (shared & ~kernel->values[v].loops))
            return met_tile_refuse(tile, "what it stores would be made by several units");
    }
    return true;
}

static bool step_columns(met_tile *tile, uint32_t s)
{
    const met_kernel_step *step = &tile->kernel->steps[s];
    met_tile_step *own = &tile->steps[s];
    const met_node *node = met_tile_node(tile, s);
    uint32_t result = tile->values[step->outs[0]].column;
    if (own->kind == MET_TILE_MAP)
        own->column = result;
    else if (!column_of(tile, step->reduced, &own->column))
        return false;
    if (own->kind == MET_TILE_FOLD && result != MET_NONE)
        return met_tile_refuse(tile, "a fold other than a contraction leaves columns");
    if (own->kind == MET_TILE_CONTRACT) {
        own->lanes = result;
        if (result == MET_NONE || tile->values[step->ins[own->row_operand]].column != own->column)
            return met_tile_refuse(tile, "a contraction has no columns of its own");
        return true;
    }
    for (uint32_t k = 0; k < node->in_count; k++) {
        uint32_t column = tile->values[step->ins[k]].column;
        if (column != MET_NONE && column != own->column)
            return met_tile_refuse(tile, "a map reads along two loops of columns");
    }
    return true;
}

/* --- Gates: guards that were lines before loops collapsed --- */

uint32_t met_tile_gate_of(met_tile *tile, uint32_t loop, const met_conditions *conditions)
{
    if (conditions->count == 0)
        return MET_NONE;
    for (uint32_t g = 0; g < tile->gates.count; g++) {
        const met_tile_gate *gate = &tile->gates.at[g];
        bool same = gate->loop == loop && gate->conditions.count == conditions->count;
        for (size_t k = 0; same && k < conditions->count; k++)
            same = met_line_equal(tile->nest, &gate->conditions.at[k].line, &conditions->at[k].line);
        if (same)
            return g;
    }
    met_tile_gate gate = { .loop = loop, .conditions = *conditions };
    MET_PUSH(tile->arena, &tile->gates, gate);
    return (uint32_t)tile->gates.count - 1;
}

/* Adds the guards of a value's edge, each once. */
static bool add_guards(met_tile *tile, uint32_t value, uint32_t loop, met_conditions *conditions)
{
    const met_gating *gating = &tile->values[value].guards;
    if (gating->valued.count > 0)
        return met_tile_refuse(tile, "a guard looks into an array");
    for (size_t k = 0; k < gating->affine.count; k++) {
        bool known = false;
        for (size_t j = 0; j < conditions->count; j++)
            known = known || met_line_equal(tile->nest, &conditions->at[j].line, &gating->affine.at[k].line);
        for (uint32_t l = 0; l < tile->kernel->loop_count; l++)
            if (l != loop && tile->role[l] == MET_ROLE_COLUMN && met_line_reads(&gating->affine.at[k].line, l))
                return met_tile_refuse(tile, "a guard reads along two loops of columns");
        if (!known)
            MET_PUSH(tile->arena, conditions, gating->affine.at[k]);
    }
    return true;
}

static bool make_gates(met_tile *tile)
{
    const met_kernel *kernel = tile->kernel;
    tile->stream_gate = MET_NONE;
    tile->clipped = tile->stream != MET_NONE;
    bool folds = false;
    for (uint32_t s = 0; s < kernel->step_count; s++) {
        met_tile_step *step = &tile->steps[s];
        if (step->kind == MET_TILE_MAP)
            continue;
        met_conditions conditions = { .count = 0 };
        for (uint32_t k = 0; k < met_tile_node(tile, s)->in_count; k++)
            if (!add_guards(tile, kernel->steps[s].ins[k], step->column, &conditions))
                return false;
        step->gate = met_tile_gate_of(tile, step->column, &conditions);
        bool streams = step->column == tile->stream && tile->stream != MET_NONE;
        if (step->kind == MET_TILE_CONTRACT && step->gate != MET_NONE && !streams)
            return met_tile_refuse(tile, "a contraction leaves out terms of a loop that is not the stream");
        if (step->kind == MET_TILE_CONTRACT && step->gate != MET_NONE && step->dot)
            return met_tile_refuse(tile, "a dot product of pairs leaves out terms");
        if (streams && step->gate != MET_NONE && tile->stream_gate != MET_NONE && step->gate != tile->stream_gate)
            return met_tile_refuse(tile, "two folds over the stream have different guards");
        if (streams && step->gate != MET_NONE)
            tile->stream_gate = step->gate;
        tile->clipped = tile->clipped && (!streams || step->gate != MET_NONE);
        folds = folds || streams;
    }
    tile->clipped = tile->clipped && folds;
    for (uint32_t v = 0; v < kernel->value_count; v++) {
        met_conditions conditions = { .count = 0 };
        if (!tile->values[v].stored)
            continue;
        if (!add_guards(tile, v, tile->values[v].column, &conditions))
            return false;
        tile->values[v].gate = met_tile_gate_of(tile, tile->values[v].column, &conditions);
        tile->clipped = tile->clipped && (tile->values[v].column != tile->stream || tile->stream == MET_NONE);
    }
    return true;
}

/* --- The whole --- */

/* The column loop that units may cut: all that is stored has it, and no contraction is without it. */
static uint32_t block_loop(const met_tile *tile)
{
    uint32_t block = MET_NONE;
    for (uint32_t v = 0; v < tile->kernel->value_count; v++) {
        if (!tile->values[v].stored)
            continue;
        uint32_t column = tile->values[v].column;
        if (column == MET_NONE || column == tile->stream || (block != MET_NONE && column != block))
            return MET_NONE;
        block = column;
    }
    for (uint32_t s = 0; s < tile->kernel->step_count; s++)
        if ((tile->steps[s].kind == MET_TILE_CONTRACT && tile->steps[s].lanes != block) ||
            tile->steps[s].column == block)
            if (tile->steps[s].kind != MET_TILE_MAP)
                return MET_NONE;
    return block;
}

/* A base is compared and subtracted as it is accumulated, and weights relative to it keep their bits only where all of
 * them are normal numbers. */
static bool check_rebasing(met_tile *tile)
{
    const met_kernel *kernel = tile->kernel;
    bool rebases = false;
    for (uint32_t a = 0; a < kernel->accumulator_count; a++) {
        const met_kernel_accumulator *accumulator = &kernel->accumulators[a];
        if (accumulator->base == MET_NONE)
            continue;
        rebases = true;
        const met_kernel_accumulator *base = &kernel->accumulators[accumulator->base];
        met_dtype dtype = (met_dtype)kernel->circuit->edges[kernel->values[base->value].edge.id].format.dtype;
        if (base->monoid != MET_MONOID_MAX || dtype != MET_F32)
            return met_tile_refuse(tile, "a running statistic other than a maximum in f32");
    }
    for (uint32_t v = 0; rebases && v < kernel->value_count; v++)
        if (kernel->values[v].class == MET_VALUE_STREAM && !kernel->values[v].is_input &&
            kernel->circuit->edges[kernel->values[v].edge.id].format.dtype == MET_F16)
            return met_tile_refuse(tile, "weights in f16 lose bits when they are rescaled");
    return true;
}

static bool plan(met_tile *tile)
{
    const met_kernel *kernel = tile->kernel;
    if (!place_values(tile))
        return false;
    for (uint32_t s = 0; s < kernel->step_count; s++)
        if (!class_step(tile, s))
            return false;
    if (!check_rebasing(tile) || !met_tile_roles(tile))
        return false;
    if (!value_columns(tile))
        return false;
    for (uint32_t s = 0; s < kernel->step_count; s++)
        if (!step_columns(tile, s))
            return false;
    tile->block = block_loop(tile);
    return make_gates(tile);
}

met_tile *met_tile_plan(met_draft *draft, const met_class *class, const met_kernel *kernel, const char **ret_refusal)
{
    met_arena *arena = draft->writer->arena;
    met_tile *tile = MET_NEW(arena, met_tile);
    *tile = (met_tile){ .draft = draft, .w = draft->writer, .arena = arena, .kernel = kernel, .class = class };
    tile->stream = kernel->stream;
    tile->role = MET_NEW_ARRAY(arena, met_role, kernel->loop_count);
    tile->gone = MET_NEW_ARRAY(arena, bool, kernel->loop_count);
    tile->steps = MET_NEW_ARRAY(arena, met_tile_step, kernel->step_count);
    tile->values = MET_NEW_ARRAY(arena, met_tile_value, kernel->value_count);
    make_nest(tile);
    bool good = plan(tile);
    draft->failed = draft->failed || tile->nest->failed;
    *ret_refusal = tile->refusal;
    return good ? tile : NULL;
}
