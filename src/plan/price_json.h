/* Prices, laxities and memory fits as JSON objects: all digits, and null for what is unavailable or has no bound. */
#ifndef MET_PLAN_PRICE_JSON_H
#define MET_PLAN_PRICE_JSON_H

#include "base/text.h"
#include "plan/fit.h"
#include "plan/price.h"

/* A number with all its digits; null if it is none. */
void met_json_real(met_text *out, double number);
void met_price_json(met_text *out, const met_price *price, const met_device *device);
void met_laxity_json(met_text *out, const met_laxity *laxity);
void met_fit_json(met_text *out, const met_memory *memory, const met_fit *fit);

#endif
