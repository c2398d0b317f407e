/* What a plan's groups have in common with kernels that exist and are run: every group of a target is shared, shared but
 * not measured, an opportunity for a parameter, a variant of a policy, or novel. This is what tells how much of a new
 * model or class is data rather than kernels. docs/audit.md has the definitions. */
#ifndef MET_AUDIT_VENN_H
#define MET_AUDIT_VENN_H

#include "audit/point.h"

/* From what costs least to what costs most. */
typedef enum met_sharing {
    MET_SHARED,            /* a kernel that is run, measured at this point and these rows */
    MET_SHARED_UNMEASURED,
    MET_POLICY_VARIANT,    /* differs in a plug-in */
    MET_PARAMETERIZATION,  /* differs in what an instantiation would give */
    MET_NOVEL              /* no family has the op at these rows */
} met_sharing;
#define MET_SHARINGS (MET_NOVEL + 1)
const char *met_sharing_name(met_sharing sharing); /* shared, shared-unmeasured, … */

/* A point that some model runs. */
typedef struct met_run_point {
    const char *model;
    const char *family; /* id */
    uint32_t value_count;
    const char *const *values; /* by parameter of that family */
} met_run_point;

/* Whether there is fresh evidence at exactly these values and rows. */
typedef bool (*met_evidence_fn)(void *context, const met_family *family, const char *const *values, uint64_t rows);

typedef struct met_venn_facts {
    const met_lkb *lkb;
    const met_hardware *hardware; /* whose families are the candidates */
    uint32_t run_count;
    const met_run_point *runs;
    met_evidence_fn evidence;     /* NULL: there is none */
    void *context;
    const met_setting *settings;  /* of the request */
    uint32_t setting_count;
} met_venn_facts;

typedef struct met_venn_site {
    uint32_t group;
    const char *ops;    /* "add, rmsnorm" */
    met_sharing sharing;
    const met_family *family;   /* NULL: novel */
    const char *const *values;  /* that the site asks for */
    const char *const *nearest; /* of the nearest point; NULL: the family has none */
    uint32_t difference_count;
    const char *model;  /* that runs the nearest point; NULL: it is declared only */
    bool copy;          /* the nearest point is declared, as a copy */
    bool placeholder;   /* no rule covers it */
    double share;       /* of the step's time; 0 without prices */
} met_venn_site;

typedef struct met_venn {
    const met_lowering *lowering;
    const met_hardware *against;
    uint32_t site_count;
    const met_venn_site *sites;   /* by group */
    double share[MET_SHARINGS];   /* sums over sites */
    uint32_t count[MET_SHARINGS];
    double coverage, measured;    /* 1 - the share of novel sites and placeholders; the share of shared sites */
    bool priced;
} met_venn;

const met_venn *met_venn_new(const met_lowering *lowering, const met_venn_facts *facts);

/* The points that a plan's groups run, of families of its class. Appended to a list in the session's arena. */
typedef struct met_run_list {
    MET_VEC(met_run_point) at;
} met_run_list;
void met_run_points(const met_lowering *lowering, const met_lkb *lkb, const char *model, const met_setting *settings,
                    uint32_t setting_count, met_run_list *list);

#endif
