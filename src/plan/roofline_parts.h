/* Attention within a site, for roofline.c. */
#ifndef MET_PLAN_ROOFLINE_PARTS_H
#define MET_PLAN_ROOFLINE_PARTS_H

#include "plan/roofline.h"

enum { MET_ATTEND_PRODUCTS = 4 };

/* A contraction of the site with an index over the positions that are attended to, of which there are `positions`. */
typedef struct met_attend_product {
    uint32_t node;
    double positions;
} met_attend_product;

typedef struct met_attend {
    uint32_t product_count; /* 0: no attention */
    met_attend_product products[MET_ATTEND_PRODUCTS];
    double context;   /* positions that count for each row */
    bool prompt;      /* there is no cache, and a causal mask */
    double new_bytes; /* PROMPT: keys and values */
} met_attend;

met_attend met_attend_of(const met_workload *workload, const met_site *site);

#endif
