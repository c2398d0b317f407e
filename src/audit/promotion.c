#include "audit/promotion.h"

#include <stdlib.h>
#include <string.h>

/* With what makes the order total: the place in the lists. */
typedef struct candidate {
    met_promotion promotion;
    uint32_t place;
} candidate;

typedef MET_VEC(candidate) candidate_list;

uint32_t met_family_copies(const met_family *family)
{
    uint32_t copies = 0;
    for (uint32_t p = 0; p < family->point_count; p++)
        copies += family->points[p].how == MET_HOW_COPY;
    return copies;
}

static candidate *known(candidate_list *list, const met_family *family, const char *const *values)
{
    bool ignored;
    for (size_t c = 0; c < list->count; c++) {
        const met_promotion *one = &list->at[c].promotion;
        if (one->values && one->family == family && met_point_differences(family, one->values, values, &ignored) == 0)
            return &list->at[c];
    }
    return NULL;
}

/* Sites that ask for the same point count together, within one model. */
static double share_of(const met_venn *venn, const met_family *family, const char *const *values)
{
    bool ignored;
    double share = 0;
    for (uint32_t s = 0; s < venn->site_count; s++) {
        const met_venn_site *site = &venn->sites[s];
        if (site->family == family && met_point_differences(family, site->values, values, &ignored) == 0)
            share += site->share;
    }
    return share;
}

static void add_missing(met_arena *arena, candidate_list *list, const met_model_venn *model)
{
    for (uint32_t s = 0; s < model->venn->site_count; s++) {
        const met_venn_site *site = &model->venn->sites[s];
        if (!site->family || met_point_find(site->family, site->values) != MET_NONE)
            continue;
        candidate *old = known(list, site->family, site->values);
        if (old && old->promotion.model == model->model)
            continue; /* the first site of this model has counted them all */
        double share = share_of(model->venn, site->family, site->values);
        candidate fresh = { { site->family, 0, site->values, share, model->model }, (uint32_t)list->count };
        if (!old)
            MET_PUSH(arena, list, fresh);
        else if (share > old->promotion.share)
            old->promotion = fresh.promotion;
    }
}

static int by_worth(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->promotion.copies != y->promotion.copies)
        return x->promotion.copies > y->promotion.copies ? -1 : 1;
    if (x->promotion.share > y->promotion.share || x->promotion.share < y->promotion.share)
        return x->promotion.share > y->promotion.share ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

const met_promotion *met_promotions(const met_lkb *lkb, const met_hardware *hardware, uint32_t venn_count,
                                    const met_model_venn *venns, uint32_t *ret_count)
{
    met_arena *arena = lkb->session->arena;
    candidate_list list = { 0 };
    for (uint32_t f = 0; f < hardware->family_count; f++) {
        candidate one = { { hardware->families[f], met_family_copies(hardware->families[f]), NULL, 0, NULL }, (uint32_t)list.count };
        if (one.promotion.copies >= 2)
            MET_PUSH(arena, &list, one);
    }
    for (uint32_t v = 0; v < venn_count; v++)
        add_missing(arena, &list, &venns[v]);
    if (list.count)
        qsort(list.at, list.count, sizeof *list.at, by_worth);
    met_promotion *sorted = MET_NEW_ARRAY(arena, met_promotion, list.count + 1);
    for (size_t c = 0; c < list.count; c++)
        sorted[c] = list.at[c].promotion;
    *ret_count = (uint32_t)list.count;
    return sorted;
}
