/* What is said of two plans of one circuit that are compared by what is known of them (docs/parity.md): do they give the same
 * bytes, where not and why, and what one change would make them equal. */
#ifndef MET_PARITY_H
#define MET_PARITY_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct met_parity_report met_parity_report;

/* At most 80 columns; nodes of which the same is said are told of once. Lives as long as the session. */
const char *met_parity_text(const met_parity_report *report);
/* An object, without a line's end. */
const char *met_parity_json(const met_parity_report *report);
/* Whether the records promise the same bytes. */
bool met_parity_promised(const met_parity_report *report);

#ifdef __cplusplus
}
#endif
#endif
