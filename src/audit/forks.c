#include "audit/forks.h"

#include <string.h>

#include "base/vec.h"

/* --- Twins --- */

static bool same_names(const met_name_list *a, const met_name_list *b)
{
    if (a->count != b->count)
        return false;
    for (uint32_t k = 0; k < a->count; k++)
        if (!met_name_list_has(b, a->names[k]))
            return false;
    return true;
}

static bool same_format(bool has_a, met_format a, bool has_b, met_format b)
{
    return has_a == has_b && (!has_a || met_format_equal(a, b));
}

static bool same_element(const met_rule_element *a, const met_rule_element *b)
{
    if (a->op_count != b->op_count || !same_names(&a->roles, &b->roles) || a->sibling != b->sibling ||
        a->optional != b->optional || a->reads != b->reads)
        return false;
    for (uint32_t o = 0; o < a->op_count; o++)
        if (a->ops[o] != b->ops[o])
            return false;
    if ((a->block == NULL) != (b->block == NULL) || (a->block && strcmp(a->block, b->block) != 0))
        return false;
    return same_format(a->has_weight, a->weight, b->has_weight, b->weight) &&
           same_format(a->has_input, a->input, b->has_input, b->input);
}

static bool same_pattern(const met_rule *a, const met_rule *b)
{
    if (a->element_count != b->element_count)
        return false;
    for (uint32_t e = 0; e < a->element_count; e++)
        if (!same_element(&a->elements[e], &b->elements[e]))
            return false;
    return true;
}

const met_twin *met_forks_twins(met_arena *arena, const met_hardware *hardware, uint32_t *ret_count)
{
    MET_VEC(met_twin) list = { 0 };
    for (uint32_t a = 0; a < hardware->rule_count; a++) {
        for (uint32_t b = a + 1; b < hardware->rule_count; b++) {
            met_twin twin = { hardware->rules[a], hardware->rules[b] };
            if (same_pattern(twin.a, twin.b) && !same_names(&twin.a->kernels, &twin.b->kernels))
                MET_PUSH(arena, &list, twin);
        }
    }
    *ret_count = (uint32_t)list.count;
    return list.at;
}

/* --- Text --- */

static void put_values(met_text *out, const met_family *family, const met_family_point *point)
{
    bool any = false;
    for (uint32_t p = 0; p < family->param_count; p++) {
        if (!point->values[p])
            continue;
        met_text_format(out, "%s%s=%s", any ? " " : "", family->params[p].name, point->values[p]);
        any = true;
    }
}

static void put_kernels(met_text *out, const met_name_list *kernels)
{
    for (uint32_t k = 0; k < kernels->count; k++)
        met_text_format(out, "%s`%s`", k ? ", " : "", kernels->names[k]);
}

static uint32_t put_residuals(met_text *out, const met_hardware *hardware)
{
    for (uint32_t r = 0; r < hardware->residual.count; r++)
        met_text_format(out, "- residual `%s`: no family makes it\n", hardware->residual.names[r]);
    return hardware->residual.count;
}

static uint32_t put_copies(met_text *out, const met_hardware *hardware)
{
    uint32_t found = 0;
    for (uint32_t f = 0; f < hardware->family_count; f++) {
        const met_family *family = hardware->families[f];
        for (uint32_t p = 0; p < family->point_count; p++) {
            if (family->points[p].how != MET_HOW_COPY)
                continue;
            met_text_format(out, "- copy of `%s`: ", family->id);
            put_values(out, family, &family->points[p]);
            for (uint32_t k = 0; k < family->points[p].files.count; k++)
                met_text_format(out, "%s%s", k ? ", " : " in ", family->points[p].files.names[k]);
            met_text_put(out, "\n");
            found++;
        }
    }
    return found;
}

static uint32_t put_twins(met_text *out, met_arena *arena, const met_hardware *hardware)
{
    uint32_t count;
    const met_twin *twins = met_forks_twins(arena, hardware, &count);
    for (uint32_t t = 0; t < count; t++) {
        met_text_put(out, "- twins ");
        put_kernels(out, &twins[t].a->kernels);
        met_text_put(out, " and ");
        put_kernels(out, &twins[t].b->kernels);
        met_text_format(out, ": rules `%s` and `%s`\n", twins[t].a->id, twins[t].b->id);
    }
    return count;
}

void met_forks_print(met_text *out, const met_lkb *lkb)
{
    met_text_put(out, "# Forks\n\n"
                      "What each class has besides instantiations of families: residuals (kernels that no family makes), copies\n"
                      "(points with a text of their own) and twins (kernels of two rules with one pattern). Made by\n"
                      "`met lkb report --forks`; a test fails when it is stale.\n");
    for (uint32_t h = 0; h < lkb->hardware_count; h++) {
        const met_hardware *hardware = &lkb->hardware[h];
        met_text_format(out, "\n## %s\n\n", hardware->id);
        uint32_t found = put_residuals(out, hardware);
        found += put_copies(out, hardware);
        found += put_twins(out, lkb->session->arena, hardware);
        met_text_put(out, found ? "" : "None.\n");
    }
}
