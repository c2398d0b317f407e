/* Prices, laxities, fits and rooflines as people read them (units of ten to the third, five digits) and as JSON (all digits;
 * null for what is unavailable). */
#ifndef MET_PLAN_PRICE_TEXT_H
#define MET_PLAN_PRICE_TEXT_H

#include "base/text.h"
#include "plan/fit.h"
#include "plan/price.h"

/* "15.559 GB", "812 B", "-8.192 kB" */
void met_put_bytes(met_text *out, double bytes);
/* "17.157 GF" */
void met_put_flops(met_text *out, double flops);
/* "4.6443 ms", "3.0098 us", "0 s" */
void met_put_seconds(met_text *out, double seconds);
/* "488.21 mJ modelled", "unavailable" */
void met_put_joules(met_text *out, double joules, met_joules are);

/* One line without its end: bytes, flops, launches, time and what bounds it, energy. */
void met_price_print(met_text *out, const met_price *price, const met_device *device);
/* One line likewise: what is saved; negative numbers are losses. */
void met_laxity_print(met_text *out, const met_laxity *laxity);
/* Two lines: what is needed of what is there; the most sequences. */
void met_fit_print(met_text *out, const met_memory *memory, const met_fit *fit);

/* A number with all its digits; null if it is none. */
void met_json_real(met_text *out, double number);
/* Objects. */
void met_price_json(met_text *out, const met_price *price, const met_device *device);
void met_laxity_json(met_text *out, const met_laxity *laxity);
void met_fit_json(met_text *out, const met_memory *memory, const met_fit *fit);

#endif
