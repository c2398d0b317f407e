#include "audit/drift.h"
#include "audit/point.h"

#include <string.h>

#include "base/diag.h"

void met_form_print(met_text *out, const met_form_point *form)
{
    met_text_put(out, form->form);
    for (uint32_t p = 0; p < form->param_count; p++)
        met_text_format(out, "%s%s=%s", p ? ", " : "(", form->params[p], form->values[p]);
    met_text_put(out, form->param_count ? ")" : "");
}

static const char *value_in_form(const met_form_point *form, const char *name)
{
    for (uint32_t p = 0; p < form->param_count; p++)
        if (!strcmp(form->params[p], name))
            return form->values[p];
    return NULL;
}

bool met_form_is_point(const met_form_point *form, const met_family *family, const met_family_point *point)
{
    if (!family->form || strcmp(family->form, form->form) != 0)
        return false;
    for (uint32_t p = 0; p < family->param_count; p++) {
        const char *made = value_in_form(form, family->params[p].name);
        if (made && point->values[p] && strcmp(made, point->values[p]) != 0)
            return false;
    }
    return true;
}

static bool is_declared(const met_hardware *hardware, const met_form_point *form)
{
    for (uint32_t f = 0; f < hardware->family_count; f++) {
        const met_family *family = hardware->families[f];
        for (uint32_t p = 0; p < family->point_count; p++)
            if (met_form_is_point(form, family, &family->points[p]))
                return true;
    }
    return false;
}

static const met_family *family_of_form(const met_hardware *hardware, const char *form)
{
    for (uint32_t f = 0; f < hardware->family_count; f++)
        if (hardware->families[f]->form && !strcmp(hardware->families[f]->form, form))
            return hardware->families[f];
    return NULL;
}

static uint32_t check_made(const met_lkb *lkb, const met_hardware *hardware, const met_form_point *form)
{
    if (is_declared(hardware, form) || met_name_list_has(&hardware->residual, form->form))
        return 0;
    const met_family *family = family_of_form(hardware, form->form);
    met_text text = met_text_new(lkb->session->arena);
    met_form_print(&text, form);
    met_diag *d = met_diag_add(lkb->session, MET_DIAG_drift, family ? family->span : hardware->span,
                               family ? "`%s` makes `%s`, which is no point of this family" :
                                        "`%s` makes `%s`, which is in no family and no named residual",
                               hardware->id, met_text_done(&text));
    met_diag_help(d, family ? "declare a point with these values" : "give a family this form, or name it as a residual of the class");
    return 1;
}

static bool is_made(const met_drift_facts *facts, const met_family *family, const met_family_point *point)
{
    for (uint32_t f = 0; f < facts->form_count; f++)
        if (met_form_is_point(&facts->forms[f], family, point))
            return true;
    return false;
}

static uint32_t check_files(const met_lkb *lkb, const met_family *family, const met_family_point *point,
                            const met_drift_facts *facts)
{
    uint32_t found = 0;
    for (uint32_t k = 0; facts->exists && k < point->files.count; k++) {
        if (facts->exists(facts->context, point->files.names[k]))
            continue;
        met_diag_add(lkb->session, MET_DIAG_drift, point->span, "the file `%s` of this point of `%s` does not exist",
                     point->files.names[k], family->id);
        found++;
    }
    return found;
}

static uint32_t check_declared(const met_lkb *lkb, const met_hardware *hardware, const met_family *family,
                               const met_drift_facts *facts)
{
    uint32_t found = 0;
    for (uint32_t p = 0; p < family->point_count; p++) {
        const met_family_point *point = &family->points[p];
        found += check_files(lkb, family, point, facts);
        if (!hardware->class_name || !family->form || is_made(facts, family, point))
            continue;
        met_text values = met_text_new(lkb->session->arena);
        met_point_print(&values, family, point->values);
        met_diag *d = met_diag_add(lkb->session, MET_DIAG_drift, point->span, "`%s` does not make `%s(%s)`", hardware->id,
                                   family->id, met_text_done(&values));
        met_diag_note(d, family->span, "its form is `%s`", family->form);
        found++;
    }
    return found;
}

uint32_t met_drift_check(const met_lkb *lkb, const met_hardware *hardware, const met_drift_facts *facts)
{
    uint32_t found = 0;
    for (uint32_t f = 0; f < facts->form_count; f++)
        found += check_made(lkb, hardware, &facts->forms[f]);
    for (uint32_t f = 0; f < hardware->family_count; f++)
        found += check_declared(lkb, hardware, hardware->families[f], facts);
    return found;
}
