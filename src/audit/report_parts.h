/* Within the reports: columns of text. */
#ifndef MET_AUDIT_REPORT_PARTS_H
#define MET_AUDIT_REPORT_PARTS_H

#include "audit/report.h"

/* Text padded to a width, or cut to it, which two dots say. */
void met_report_cut(met_text *out, const char *text, size_t width);
/* Ends a line, without the spaces at its end. */
void met_report_end_line(met_text *out);

#endif
