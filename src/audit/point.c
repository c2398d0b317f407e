#include "audit/point.h"

#include <string.h>

/* --- The core --- */

static bool takes(const met_asker *asker, const met_lkb *lkb, const met_family *family, const met_node *node, bool core)
{
    const met_circuit *circuit = asker->lowering->circuit;
    if (!node->op || (core && !met_name_list_has(&family->core, node->op->name)))
        return false;
    for (uint32_t o = 0; o < family->op_count; o++) {
        const met_family_op *op = &family->ops[o];
        bool fits = op->op == node->op->id && op->roles.count == 0;
        for (uint32_t k = 0; !fits && op->op == node->op->id && k < node->in_count; k++) {
            const met_edge *edge = &circuit->edges[node->ins[k].id];
            const char *role = edge->role == MET_EDGE_PARAMETER ? met_lkb_role(lkb, met_sym_str(circuit->session, edge->name)) : NULL;
            fits = role && met_name_list_has(&op->roles, role);
        }
        if (fits)
            return true;
    }
    return false;
}

uint32_t met_point_core(const met_asker *asker, const met_lkb *lkb, const met_family *family)
{
    const met_lowering_group *group = &asker->lowering->groups[asker->group];
    for (int core = family->core.count > 0; core >= 0; core--)
        for (uint32_t k = 0; k < group->node_count; k++)
            if (takes(asker, lkb, family, &asker->lowering->circuit->nodes[group->nodes[k].id], core))
                return group->nodes[k].id;
    return MET_NONE;
}

bool met_point_may(const met_asker *asker, const met_lkb *lkb, const met_family *family)
{
    const met_lowering_group *group = &asker->lowering->groups[asker->group];
    for (uint32_t k = 0; k < group->node_count; k++)
        if (!takes(asker, lkb, family, &asker->lowering->circuit->nodes[group->nodes[k].id], false))
            return false;
    return true;
}

/* --- Values --- */

typedef struct reading {
    const met_asker *asker;
    const met_lowering *lowering;
    const met_circuit *circuit;
    const met_lowering_group *group;
    const met_node *core;
    const char *tree;
} reading;

static const char *format_text(const reading *r, met_format format)
{
    met_text text = met_text_new(r->circuit->arena);
    met_format_print(&text, format);
    return met_text_done(&text);
}

static const char *number_text(const reading *r, uint64_t number)
{
    met_text text = met_text_new(r->circuit->arena);
    met_text_format(&text, "%llu", (unsigned long long)number);
    return met_text_done(&text);
}

static bool size_in(const reading *r, const met_node *node, const char *label, uint64_t *ret_size)
{
    for (uint32_t i = 0; i < node->index_count; i++) {
        const met_axis *axis = &r->circuit->axes[node->indices[i].axis.id];
        if (met_str_is(met_sym_str(r->circuit->session, axis->label), label) &&
            met_circuit_size(r->circuit, node->indices[i].axis, ret_size))
            return true;
    }
    return false;
}

static const char *dim_value(const reading *r, const char *label)
{
    uint64_t size;
    if (size_in(r, r->core, label, &size))
        return number_text(r, size);
    for (uint32_t k = 0; k < r->group->node_count; k++)
        if (size_in(r, &r->circuit->nodes[r->group->nodes[k].id], label, &size))
            return number_text(r, size);
    return NULL;
}

/* The first weight of the core: a parameter with rows and columns, else any. */
static const met_edge *weight_of(const reading *r)
{
    const met_edge *found = NULL;
    for (uint32_t k = 0; k < r->core->in_count; k++) {
        const met_edge *edge = &r->circuit->edges[r->core->ins[k].id];
        if (edge->role == MET_EDGE_PARAMETER && (!found || (found->rank < 2 && edge->rank >= 2)))
            found = edge;
    }
    return found;
}

static const char *weight_value(const reading *r)
{
    const met_edge *weight = weight_of(r);
    return weight ? format_text(r, weight->format) : NULL;
}

static const char *activation_value(const reading *r)
{
    return r->core->in_count ? format_text(r, r->lowering->stored[r->core->ins[0].id]) : NULL;
}

static bool leaves(const reading *r, met_edge_id edge)
{
    return r->lowering->edges[edge.id] == MET_EDGE_MATERIALIZED;
}

static const char *output_value(const reading *r)
{
    for (uint32_t k = 0; k < r->group->node_count; k++) {
        const met_node *node = &r->circuit->nodes[r->group->nodes[k].id];
        for (uint32_t o = 0; o < node->out_count; o++)
            if (leaves(r, node->outs[o]))
                return format_text(r, r->lowering->stored[node->outs[o].id]);
    }
    return NULL;
}

/* The op that reads, first of all, what leaves the group. */
static const char *consumer_value(const reading *r)
{
    uint32_t mine = r->lowering->group_of[r->group->nodes[0].id];
    for (uint32_t n = r->group->nodes[0].id + 1; n < r->circuit->node_count; n++) {
        const met_node *node = &r->circuit->nodes[n];
        for (uint32_t k = 0; r->lowering->group_of[n] != mine && k < node->in_count; k++) {
            uint32_t from = r->circuit->edges[node->ins[k].id].producer.id;
            if (from != MET_NONE && r->lowering->group_of[from] == mine)
                return node->op ? node->op->name : NULL;
        }
    }
    return NULL;
}

static const char *option_text(const reading *r, const met_attr *attr)
{
    met_text text = met_text_new(r->circuit->arena);
    uint64_t size;
    if (attr->kind == MET_ATTR_WORD)
        return met_sym_text(r->circuit->session, attr->word);
    if (attr->kind == MET_ATTR_FORMAT)
        return format_text(r, attr->format);
    if (attr->kind == MET_ATTR_NUMBER)
        met_text_double(&text, attr->number);
    else if (attr->kind == MET_ATTR_DIM && met_dim_is_constant(attr->dim, &size))
        met_text_format(&text, "%llu", (unsigned long long)size);
    else
        return NULL; /* formulas and guards are not values that tell points apart */
    return met_text_done(&text);
}

/* An option, or an array that an op may have or not (a bias, a gain): "yes" or "no". */
static const char *option_value(const reading *r, const char *name)
{
    const met_attr *attr = met_node_attr(r->circuit, r->core, name);
    return attr ? option_text(r, attr) : NULL;
}

static const char *setting_value(const reading *r, const char *name)
{
    for (uint32_t s = r->asker->setting_count; s-- > 0;)
        if (!strcmp(r->asker->settings[s].name, name))
            return r->asker->settings[s].value;
    return met_hardware_setting(r->lowering->hardware, name);
}

/* What a linear map contracts (reduced) or makes: the product of the indices by which its weight is read. */
static const char *side_value(const reading *r, bool reduced)
{
    const met_edge *weight = weight_of(r);
    uint64_t product = 1, size;
    for (uint32_t i = 0; weight && i < r->core->index_count; i++) {
        const met_index *index = &r->core->indices[i];
        bool in_weight = false;
        for (uint32_t p = 0; p < weight->rank; p++)
            in_weight = in_weight || weight->axes[p].id == index->axis.id;
        if (!in_weight || index->reduced != reduced)
            continue;
        if (!met_circuit_size(r->circuit, index->axis, &size) || size == 0 || product > UINT64_MAX / size)
            return NULL;
        product *= size;
    }
    return weight ? number_text(r, product) : NULL;
}

static const char *value_of(const reading *r, const met_family_param *param)
{
    switch (param->extract) {
    case MET_EXTRACT_DIM: return dim_value(r, param->argument);
    case MET_EXTRACT_WEIGHT: return weight_value(r);
    case MET_EXTRACT_ACTIVATION: return activation_value(r);
    case MET_EXTRACT_OUTPUT: return output_value(r);
    case MET_EXTRACT_OP: return r->core->op->name;
    case MET_EXTRACT_CONSUMER: return consumer_value(r);
    case MET_EXTRACT_OPTION: return option_value(r, param->argument);
    case MET_EXTRACT_SETTING: return setting_value(r, param->argument);
    case MET_EXTRACT_IN_DIM: return side_value(r, true);
    case MET_EXTRACT_OUT_DIM: return side_value(r, false);
    case MET_EXTRACT_TREE: return r->tree;
    }
    return NULL;
}

const char *const *met_point_values(const met_asker *asker, const met_lkb *lkb, const met_family *family, uint32_t kernel,
                                    const met_family_param **ret_missing)
{
    const met_lowering *lowering = asker->lowering;
    uint32_t core = met_point_core(asker, lkb, family);
    const char **values = MET_NEW_ARRAY(lowering->circuit->arena, const char *, family->param_count + 1);
    reading r = { asker, lowering, lowering->circuit, &lowering->groups[asker->group], NULL,
                  kernel < family->kernels.count ? family->trees[kernel] : NULL };
    *ret_missing = NULL;
    r.core = &lowering->circuit->nodes[core == MET_NONE ? r.group->nodes[0].id : core];
    for (uint32_t p = 0; p < family->param_count; p++) {
        const met_family_param *param = &family->params[p];
        if (param->kind == MET_PARAM_RUNTIME)
            continue;
        values[p] = value_of(&r, param);
        values[p] = values[p] ? values[p] : param->absent;
        if (!values[p] && !*ret_missing)
            *ret_missing = param;
    }
    return values;
}

/* --- Comparing --- */

uint32_t met_point_differences(const met_family *family, const char *const *a, const char *const *b, bool *ret_only_policy)
{
    uint32_t found = 0;
    *ret_only_policy = true;
    for (uint32_t p = 0; p < family->param_count; p++) {
        bool same = a[p] && b[p] ? !strcmp(a[p], b[p]) : a[p] == b[p];
        if (family->params[p].kind == MET_PARAM_RUNTIME || same)
            continue;
        found++;
        *ret_only_policy = *ret_only_policy && family->params[p].kind == MET_PARAM_POLICY;
    }
    return found;
}

uint32_t met_point_find(const met_family *family, const char *const *values)
{
    bool ignored;
    for (uint32_t p = 0; p < family->point_count; p++)
        if (met_point_differences(family, family->points[p].values, values, &ignored) == 0)
            return p;
    return MET_NONE;
}

void met_point_print(met_text *out, const met_family *family, const char *const *values)
{
    bool any = false;
    for (uint32_t p = 0; p < family->param_count; p++) {
        if (family->params[p].kind == MET_PARAM_RUNTIME)
            continue;
        met_text_format(out, "%s%s=%s", any ? ", " : "", family->params[p].name, values[p] ? values[p] : "?");
        any = true;
    }
}
