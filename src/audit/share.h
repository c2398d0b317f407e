/* Shares of a whole as text, without a locale. */
#ifndef MET_AUDIT_SHARE_H
#define MET_AUDIT_SHARE_H

#include "base/text.h"

/* "97.3%", right-aligned. */
void met_share_percent(met_text *out, double share, size_t width);
/* "0.9732": four digits. */
void met_share_decimal(met_text *out, double share);
/* As the decimals say it. */
double met_share_rounded(double share);

#endif
