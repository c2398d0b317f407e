/* Text within 80 columns: words that break before the right margin and go on below where they began. */
#ifndef MET_REPORT_WRAP_H
#define MET_REPORT_WRAP_H

#include "base/text.h"

enum { MET_WRAP_WIDTH = 80 };

typedef struct met_wrap {
    met_text *out;
    size_t column, left;
} met_wrap;

/* Begins a line: `indent` spaces and a label, behind which all further lines begin. */
met_wrap met_wrap_start(met_text *out, size_t indent, const char *label);
void met_wrap_word(met_wrap *w, const char *word);
/* Words that spaces separate. */
void met_wrap_words(met_wrap *w, const char *text);
/* A line of a label, padded to so many columns, and words, which go on below where they began. */
void met_wrap_line(met_text *out, size_t indent, size_t columns, const char *label, const char *words);

#endif
