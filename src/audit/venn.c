#include "audit/venn.h"

#include <string.h>

const char *met_sharing_name(met_sharing sharing)
{
    static const char *const names[MET_SHARINGS] = { "shared", "shared-unmeasured", "policy-variant", "parameterization", "novel" };
    return names[sharing];
}

/* --- Candidates --- */

static bool in_mode(const met_rule *rule, const char *mode)
{
    return rule->modes.count == 0 || met_name_list_has(&rule->modes, mode);
}

/* A rule of the class that gives these rows to a kernel of the family; its number among the family's kernels. */
static bool serves(const met_hardware *hardware, const met_family *family, const met_lowering *lowering, uint32_t *ret_kernel)
{
    for (uint32_t r = 0; r < hardware->rule_count; r++) {
        const met_rule *rule = hardware->rules[r];
        if (lowering->rows < rule->rows_min || lowering->rows > rule->rows_max || !in_mode(rule, lowering->mode))
            continue;
        for (uint32_t k = 0; k < family->kernels.count; k++) {
            *ret_kernel = k;
            if (met_name_list_has(&rule->kernels, family->kernels.names[k]) &&
                !met_hardware_lacks(hardware, family->kernels.names[k]))
                return true;
        }
    }
    return false;
}

static uint32_t kernel_of(const met_family *family, const met_name_list *kernels)
{
    for (uint32_t k = 0; k < family->kernels.count; k++)
        if (met_name_list_has(kernels, family->kernels.names[k]))
            return k;
    return MET_NONE;
}

/* --- Nearest --- */

/* A point that might serve a site, and how far it is. */
typedef struct distance {
    const char *const *values;
    const char *model;
    uint32_t differences;
    bool only_policy;
} distance;

static bool nearer(const distance *a, const distance *b)
{
    return !b->values || a->differences < b->differences;
}

/* Of the points that some model runs; of the declared ones if none is run. */
static distance nearest_point(const met_venn_facts *facts, const met_family *family, const char *const *wanted)
{
    distance best = { .only_policy = true };
    for (uint32_t r = 0; r < facts->run_count; r++) {
        const met_run_point *run = &facts->runs[r];
        if (strcmp(run->family, family->id) != 0 || run->value_count != family->param_count)
            continue;
        distance one = { .values = run->values, .model = run->model };
        one.differences = met_point_differences(family, wanted, run->values, &one.only_policy);
        best = nearer(&one, &best) ? one : best;
    }
    for (uint32_t p = 0; !best.model && p < family->point_count; p++) {
        distance one = { .values = family->points[p].values };
        one.differences = met_point_differences(family, wanted, one.values, &one.only_policy);
        best = nearer(&one, &best) ? one : best;
    }
    return best;
}

static bool is_copy(const met_family *family, const char *const *values)
{
    uint32_t point = met_point_find(family, values);
    return point != MET_NONE && family->points[point].how == MET_HOW_COPY;
}

static met_sharing judge(const met_venn_facts *facts, const met_family *family, const char *const *wanted, const distance *near,
                         uint64_t rows)
{
    uint32_t own = met_point_find(family, wanted);
    bool equal = near->values && near->differences == 0;
    bool realised = own != MET_NONE && family->points[own].how != MET_HOW_COPY;
    if (equal || realised) {
        bool measured = facts->evidence && facts->evidence(facts->context, family, wanted, rows);
        return measured ? MET_SHARED : MET_SHARED_UNMEASURED;
    }
    return near->values && near->only_policy ? MET_POLICY_VARIANT : MET_PARAMETERIZATION;
}

/* Whether a is the better description: class, number of differences, run before bare; what comes first stays. */
static bool better(const met_venn_site *a, const met_venn_site *b)
{
    if (a->sharing != b->sharing)
        return a->sharing < b->sharing;
    if (a->difference_count != b->difference_count)
        return a->difference_count < b->difference_count;
    return a->model && !b->model;
}

/* --- Sites --- */

static const char *ops_of(const met_lowering *lowering, const met_lowering_group *group)
{
    met_text text = met_text_new(lowering->circuit->arena);
    for (uint32_t k = 0; k < group->node_count; k++) {
        const met_op *op = lowering->circuit->nodes[group->nodes[k].id].op;
        met_text_format(&text, "%s%s", k ? ", " : "", op ? op->name : "box");
    }
    return met_text_done(&text);
}

static void consider(const met_venn_facts *facts, const met_asker *asker, const met_family *family, met_venn_site *site)
{
    const met_family_param *missing;
    uint32_t kernel;
    if (!met_point_may(asker, facts->lkb, family) || met_point_core(asker, facts->lkb, family) == MET_NONE ||
        !serves(facts->hardware, family, asker->lowering, &kernel))
        return;
    uint32_t own = kernel_of(family, &asker->lowering->groups[asker->group].kernels);
    met_venn_site one = *site;
    one.family = family;
    one.values = met_point_values(asker, facts->lkb, family, own == MET_NONE ? kernel : own, &missing);
    distance near = nearest_point(facts, family, one.values);
    one.sharing = judge(facts, family, one.values, &near, asker->lowering->rows);
    one.nearest = near.values;
    one.model = near.model;
    one.difference_count = near.differences;
    one.copy = near.values && is_copy(family, near.values);
    if (better(&one, site))
        *site = one;
}

static met_venn_site classify(const met_lowering *lowering, const met_venn_facts *facts, uint32_t group)
{
    const met_asker asker = { lowering, group, facts->settings, facts->setting_count };
    met_venn_site site = { .group = group, .ops = ops_of(lowering, &lowering->groups[group]), .sharing = MET_NOVEL };
    for (uint32_t f = 0; f < facts->hardware->family_count; f++)
        consider(facts, &asker, facts->hardware->families[f], &site);
    return site;
}

const met_venn *met_venn_new(const met_lowering *lowering, const met_venn_facts *facts)
{
    met_arena *arena = lowering->circuit->arena;
    met_venn_site *sites = MET_NEW_ARRAY(arena, met_venn_site, lowering->group_count);
    met_venn *venn = MET_NEW(arena, met_venn);
    *venn = (met_venn){ .lowering = lowering, .against = facts->hardware, .site_count = lowering->group_count, .sites = sites };
    venn->priced = lowering->device && lowering->price.seconds > 0;
    for (uint32_t g = 0; g < lowering->group_count; g++) {
        sites[g] = classify(lowering, facts, g);
        sites[g].share = venn->priced ? lowering->groups[g].price.seconds / lowering->price.seconds : 0;
        sites[g].placeholder = lowering->groups[g].source == MET_GROUP_PLACEHOLDER;
        venn->share[sites[g].sharing] += sites[g].share;
        venn->count[sites[g].sharing]++;
        venn->coverage += sites[g].sharing == MET_NOVEL || sites[g].placeholder ? 0 : sites[g].share;
    }
    venn->measured = venn->share[MET_SHARED];
    return venn;
}

/* --- What models run --- */

void met_run_points(const met_lowering *lowering, const met_lkb *lkb, const char *model, const met_setting *settings,
                    uint32_t setting_count, met_run_list *list)
{
    bool ignored;
    for (uint32_t g = 0; g < lowering->group_count; g++) {
        const met_family *family = lowering->groups[g].family;
        const met_asker asker = { lowering, g, settings, setting_count };
        const met_family_param *missing;
        if (!family)
            continue;
        const char *const *values = met_point_values(&asker, lkb, family, kernel_of(family, &lowering->groups[g].kernels), &missing);
        bool known = false;
        for (size_t r = 0; !known && r < list->at.count; r++)
            known = !strcmp(list->at.at[r].family, family->id) && list->at.at[r].value_count == family->param_count &&
                    met_point_differences(family, list->at.at[r].values, values, &ignored) == 0;
        met_run_point point = { model, family->id, family->param_count, values };
        if (!known && !missing)
            MET_PUSH(lowering->circuit->arena, &list->at, point);
    }
}
