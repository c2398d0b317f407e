/* Drift: what the generator can make for a class (realize/form.h) against what the families of the blueprint declare, in both
 * directions. Every kernel that can be made is a point of a family or a named residual; every point names something that
 * can be made, and files that exist. */
#ifndef MET_AUDIT_DRIFT_H
#define MET_AUDIT_DRIFT_H

#include "lkb/lkb.h"
#include "realize/form.h"

typedef struct met_drift_facts {
    uint32_t form_count;
    const met_form_point *forms; /* of met_form_points for the class */
    bool (*exists)(void *context, const char *file); /* a file of a point; NULL: files are not looked for */
    void *context;
} met_drift_facts;

/* How many differences there are; each is a diagnostic `drift` with its place. */
uint32_t met_drift_check(const met_lkb *lkb, const met_hardware *hardware, const met_drift_facts *facts);

/* Whether the two are one thing: every parameter that both have has the same value in both. */
bool met_form_is_point(const met_form_point *form, const met_family *family, const met_family_point *point);

/* "contract(weight=bf16, dot=pairs)". */
void met_form_print(met_text *out, const met_form_point *form);

#endif
