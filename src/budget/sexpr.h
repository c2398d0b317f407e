/* S-expressions as FPCore writes them: words, "strings", ( lists ) and [ lists ], comments from ; to the end of a line. Owns
 * the reading of text into a tree; knows no operators. */
#ifndef MET_BUDGET_SEXPR_H
#define MET_BUDGET_SEXPR_H

#include "base/session.h"

typedef enum met_sexpr_kind { MET_SEXPR_WORD, MET_SEXPR_STRING, MET_SEXPR_LIST } met_sexpr_kind;

typedef struct met_sexpr met_sexpr;
struct met_sexpr {
    met_sexpr_kind kind;
    met_span span;
    met_str text; /* of a word; of a string, what stands between the quotes */
    size_t count; /* of a list */
    const met_sexpr *items;
};

/* Lists deeper than this, and texts of more items, are refused. */
enum { MET_SEXPR_DEPTH = 200, MET_SEXPR_ITEMS = 200000 };

/* All expressions of a source, as a list; NULL with a diagnostic. In the session's arena. */
const met_sexpr *met_sexpr_read(met_session *session, uint32_t source);

/* Whether it is a list that begins with this word, or is this word itself. */
bool met_sexpr_heads(const met_sexpr *expression, const char *word);
bool met_sexpr_is(const met_sexpr *expression, const char *word);

#endif
